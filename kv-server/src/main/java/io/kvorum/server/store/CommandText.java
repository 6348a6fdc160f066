package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Operation;
import io.kvorum.server.store.protocol.Txn;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What an entry says, in one line for a person: keys, and of values only how long they are. */
public final class CommandText {
  private static final int KEY_LENGTH_MAX = 64;

  private CommandText() {}

  /** The line; it also says so where an entry cannot be understood. */
  public static String of(Entry entry) {
    if (entry.type() == EntryType.MEMBERSHIP) {
      return "members " + Membership.decode(entry.payload());
    }
    if (entry.type() != EntryType.COMMAND) {
      return "-";
    }
    try {
      return of(Commands.decode(entry));
    } catch (UnknownCommandException unknown) {
      return "? " + unknown.getMessage();
    }
  }

  private static String of(Command command) {
    String text =
        switch (command.getOpCase()) {
          case PUT -> of(Operation.newBuilder().setPut(command.getPut()).build());
          case DELETE_RANGE ->
              of(Operation.newBuilder().setDeleteRange(command.getDeleteRange()).build());
          case TXN -> of(command.getTxn());
          case COMPACT -> "compact " + command.getCompact().getRevision();
          case QUOTA -> "quota " + command.getQuota().getBytes();
          case LEASE_GRANT ->
              "lease-grant "
                  + Long.toHexString(command.getLeaseGrant().getId())
                  + " ttl="
                  + command.getLeaseGrant().getTtlMillis()
                  + "ms"
                  + (command.getLeaseGrant().getSession() ? " session" : "");
          case LEASE_REVOKE -> "lease-revoke " + Long.toHexString(command.getLeaseRevoke().getId());
          case LEASE_RENEW -> "lease-renew " + hex(command.getLeaseRenew().getIdList());
          case LEASE_EXPIRE -> "lease-expire " + Long.toHexString(command.getLeaseExpire().getId());
          case LEASE_CHECKPOINT ->
              "lease-checkpoint of " + command.getLeaseCheckpoint().getLeaseCount() + " leases";
          case CHECK -> "check";
          case VERDICT ->
              "verdict index="
                  + command.getVerdict().getIndex()
                  + " hash="
                  + command.getVerdict().getHash();
          case OP_NOT_SET -> "?";
        };
    return command.hasNumbered()
        ? text
            + " session="
            + Long.toHexString(command.getNumbered().getSession())
            + "/"
            + command.getNumbered().getSequence()
        : text;
  }

  private static String hex(List<Long> ids) {
    return ids.stream().map(Long::toHexString).collect(Collectors.joining(","));
  }

  private static String of(Txn txn) {
    return "txn compare="
        + txn.getCompareCount()
        + " then=["
        + operations(txn.getSuccessList())
        + "] else=["
        + operations(txn.getFailureList())
        + "]";
  }

  private static String operations(List<Operation> operations) {
    return operations.stream().map(CommandText::of).collect(Collectors.joining("; "));
  }

  private static String of(Operation operation) {
    return switch (operation.getOpCase()) {
      case PUT ->
          "put "
              + key(operation.getPut().getKey())
              + " value="
              + operation.getPut().getValue().size()
              + "B"
              + (operation.getPut().getLease() == 0
                  ? ""
                  : " lease=" + Long.toHexString(operation.getPut().getLease()));
      case DELETE_RANGE ->
          "delete "
              + key(operation.getDeleteRange().getKey())
              + end(operation.getDeleteRange().getRangeEnd());
      case RANGE ->
          "range " + key(operation.getRange().getKey()) + end(operation.getRange().getRangeEnd());
      case TXN -> of(operation.getTxn());
      case ADD -> "add " + key(operation.getAdd().getKey()) + " " + operation.getAdd().getDelta();
      case APPEND ->
          "append "
              + key(operation.getAppend().getKey())
              + " suffix="
              + operation.getAppend().getSuffix().size()
              + "B";
      case OP_NOT_SET -> "?";
    };
  }

  private static String end(ByteString end) {
    return end.isEmpty() ? "" : " to " + key(end);
  }

  /** A key for a person: in quotes, bounded. */
  public static String quoted(Bytes key) {
    return key(ByteString.copyFrom(key.arrayUnsafe()));
  }

  /** As it is if it is printable ASCII without quotes, else with escapes; bounded. */
  private static String key(ByteString key) {
    StringBuilder text = new StringBuilder("\"");
    for (byte each : key.substring(0, Math.min(key.size(), KEY_LENGTH_MAX))) {
      boolean isPlain = each >= ' ' && each < 0x7f && each != '"' && each != '\\';
      text.append(
          isPlain ? String.valueOf((char) each) : String.format(Locale.ROOT, "\\x%02x", each));
    }
    text.append('"');
    return key.size() <= KEY_LENGTH_MAX ? text.toString() : text + "… of " + key.size() + "B";
  }
}
