package io.kvorum.bench.peer.ratis;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** A map in memory, restored from the log: the least that a store on Ratis must do. */
final class RatisMap extends BaseStateMachine {
  private final Map<ByteString, ByteString> values = new ConcurrentHashMap<>();

  @Override
  public CompletableFuture<Message> query(Message request) {
    ByteString key = RatisMessage.next(request.getContent().asReadOnlyByteBuffer());
    ByteString value = values.getOrDefault(key, ByteString.EMPTY);
    return CompletableFuture.completedFuture(Message.valueOf(value));
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext context) {
    LogEntryProto entry = context.getLogEntry();
    ByteString answer = change(entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return CompletableFuture.completedFuture(Message.valueOf(answer));
  }

  private ByteString change(ByteBuffer message) {
    ByteString key = RatisMessage.next(message);
    ByteString second = RatisMessage.next(message);
    if (!message.hasRemaining()) {
      values.put(key, second);
      return RatisMessage.DONE;
    }
    return values.replace(key, second, RatisMessage.next(message))
        ? RatisMessage.DONE
        : RatisMessage.NOT_DONE;
  }
}
