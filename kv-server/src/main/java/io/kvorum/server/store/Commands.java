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
import io.kvorum.server.store.protocol.Compare;
import io.kvorum.server.store.protocol.Operation;
import io.kvorum.server.store.protocol.Range;
import io.kvorum.server.store.protocol.Txn;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The payloads of COMMAND entries (store.proto). Encoding checks no limit: see {@link StoreLimits}.
 */
public final class Commands {
  private Commands() {}

  /** A put; {@code timeMillis} is the proposer's clock, milliseconds since the epoch. */
  public static byte[] put(Bytes key, Bytes value, PutOptions options, long timeMillis) {
    return put(
        UnsafeByteOperations.unsafeWrap(key.arrayUnsafe()),
        UnsafeByteOperations.unsafeWrap(value.arrayUnsafe()),
        options,
        timeMillis);
  }

  /** As {@link #put(Bytes, Bytes, PutOptions, long)}, with the bytes as they came in a request. */
  public static byte[] put(ByteString key, ByteString value, PutOptions options, long timeMillis) {
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setPut(Operations.put(key, value, options))
        .build()
        .toByteArray();
  }

  /** A delete of a range, of one key with {@link KeyRange#single}. */
  public static byte[] deleteRange(KeyRange range, DeleteOptions options, long timeMillis) {
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setDeleteRange(Operations.deleteRange(range, options))
        .build()
        .toByteArray();
  }

  /** A transaction. */
  public static byte[] txn(io.kvorum.api.Txn txn, long timeMillis) {
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setTxn(Operations.toProto(txn))
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
    if (command.getOpCase() == Command.OpCase.OP_NOT_SET) {
      throw new UnknownCommandException(entry, "holds no known command", null);
    }
    if (holdsUnknown(command)) {
      throw new UnknownCommandException(entry, "holds a command with an unknown part", null);
    }
    return command;
  }

  /** Whether it holds what this version does not know, at any depth. */
  private static boolean holdsUnknown(Command command) {
    return isUnknown(command)
        || (command.hasPut() && isUnknown(command.getPut()))
        || (command.hasDeleteRange() && isUnknown(command.getDeleteRange()))
        || (command.hasTxn() && holdsUnknown(command.getTxn()));
  }

  private static boolean holdsUnknown(Txn txn) {
    return isUnknown(txn)
        || txn.getCompareList().stream().anyMatch(Commands::holdsUnknown)
        || txn.getSuccessList().stream().anyMatch(Commands::holdsUnknown)
        || txn.getFailureList().stream().anyMatch(Commands::holdsUnknown);
  }

  private static boolean holdsUnknown(Compare compare) {
    return isUnknown(compare)
        || compare.getTarget() == Compare.Target.UNRECOGNIZED
        || compare.getRelation() == Compare.Relation.UNRECOGNIZED;
  }

  private static boolean holdsUnknown(Operation operation) {
    return isUnknown(operation)
        || switch (operation.getOpCase()) {
          case PUT -> isUnknown(operation.getPut());
          case DELETE_RANGE -> isUnknown(operation.getDeleteRange());
          case RANGE ->
              isUnknown(operation.getRange())
                  || operation.getRange().getSortBy() == Range.SortBy.UNRECOGNIZED;
          case TXN -> holdsUnknown(operation.getTxn());
          case ADD -> isUnknown(operation.getAdd());
          case APPEND -> isUnknown(operation.getAppend());
          case OP_NOT_SET -> true;
        };
  }

  private static boolean isUnknown(Message message) {
    return !message.getUnknownFields().asMap().isEmpty();
  }
}
