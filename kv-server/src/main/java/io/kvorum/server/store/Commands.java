package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnsafeByteOperations;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.PutOptions;
import io.kvorum.raft.Entry;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.DeleteRange;
import io.kvorum.server.store.protocol.Put;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * The payloads of COMMAND entries (store.proto). Encoding checks no limit: see {@link StoreLimits}.
 */
public final class Commands {
  /** As in etcd, the end of a range that has none. */
  private static final ByteString NO_END = ByteString.copyFrom(new byte[] {0});

  private Commands() {}

  /** A put; {@code timeMillis} is the proposer's clock, milliseconds since the epoch. */
  public static byte[] put(Bytes key, Bytes value, PutOptions options, long timeMillis) {
    return put(wrap(key), wrap(value), options.previous(), timeMillis);
  }

  /** As {@link #put(Bytes, Bytes, PutOptions, long)}, with the bytes as they came in a request. */
  public static byte[] put(ByteString key, ByteString value, boolean previous, long timeMillis) {
    Put put = Put.newBuilder().setKey(key).setValue(value).setPrevKv(previous).build();
    return Command.newBuilder().setTimeMillis(timeMillis).setPut(put).build().toByteArray();
  }

  /** A delete of a range, of one key with {@link KeyRange#single}. */
  public static byte[] deleteRange(KeyRange range, DeleteOptions options, long timeMillis) {
    DeleteRange.Builder delete =
        DeleteRange.newBuilder().setKey(wrap(range.from())).setPrevKv(options.previous());
    if (range.to() == null) {
      delete.setRangeEnd(NO_END);
    } else if (!isSingle(range.from(), range.to())) {
      delete.setRangeEnd(wrap(range.to()));
    }
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setDeleteRange(delete)
        .build()
        .toByteArray();
  }

  /**
   * Reads a command back. Its byte strings are views of the payload.
   *
   * @throws UnknownCommandException if it is damaged, holds no operation, or holds a field that
   *     this version does not know: to leave that out could change what the command means
   */
  static Command decode(Entry entry) {
    Command command;
    try {
      CodedInputStream input = UnsafeByteOperations.unsafeWrap(entry.payload()).newCodedInput();
      input.enableAliasing(true);
      command = Command.parseFrom(input);
    } catch (InvalidProtocolBufferException damaged) {
      throw new UnknownCommandException(entry, "does not hold a command", damaged);
    } catch (IOException impossible) {
      throw new UncheckedIOException("reading from an array", impossible);
    }
    Message operation =
        switch (command.getOpCase()) {
          case PUT -> command.getPut();
          case DELETE_RANGE -> command.getDeleteRange();
          case TXN -> throw new UnknownCommandException(entry, "holds a transaction", null);
          case OP_NOT_SET ->
              throw new UnknownCommandException(entry, "holds no known command", null);
        };
    if (hasUnknown(command) || hasUnknown(operation)) {
      throw new UnknownCommandException(entry, "holds a command with an unknown field", null);
    }
    return command;
  }

  private static boolean hasUnknown(Message message) {
    return !message.getUnknownFields().asMap().isEmpty();
  }

  /** Whether a delete's end says that there is none. */
  static boolean isWithoutEnd(ByteString rangeEnd) {
    return rangeEnd.equals(NO_END);
  }

  private static boolean isSingle(Bytes from, Bytes to) {
    return to.size() == from.size() + 1
        && to.at(from.size()) == 0
        && Arrays.equals(from.arrayUnsafe(), 0, from.size(), to.arrayUnsafe(), 0, from.size());
  }

  private static ByteString wrap(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.arrayUnsafe());
  }
}
