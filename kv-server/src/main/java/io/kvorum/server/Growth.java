package io.kvorum.server;

import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.TxnWire;
import java.util.List;

/**
 * Which requests make the store grow: they are refused where the disk has little space left. Every
 * other one frees space, needs none, or so little that it is worth it:
 *
 * <ul>
 *   <li>a session, without which a client could not delete exactly once; the renewal of a lease,
 *       whose loss would do harm that nobody asked for;
 *   <li>a quota for the store: nothing else keeps it from filling the disks again;
 *   <li>any change of the members: a member with a larger disk is a way out;
 *   <li>a snapshot: behind it the log is cut.
 * </ul>
 */
final class Growth {
  private Growth() {}

  /** Whether it may make the store larger. */
  static boolean of(ClientFrame request) {
    return switch (request.getBodyCase()) {
      case PUT -> true;
      case TXN -> of(TxnWire.txn(request.getTxn()));
      case LEASE_GRANT -> !request.getLeaseGrant().getSession();
      case HELLO,
          DELETE_RANGE,
          RANGE,
          STATUS,
          MEMBERS,
          MEMBERS_CHANGE,
          TRANSFER,
          LEASE_RENEW,
          LEASE_REVOKE,
          LEASE_STATUS,
          LEASE_LIST,
          COMPACT,
          SPACE,
          SNAPSHOT_TAKE,
          SNAPSHOT_READ,
          WATCH_CREATE,
          WATCH_CREDIT,
          WATCH_CANCEL,
          WATCH_PROGRESS,
          BODY_NOT_SET ->
          false;
    };
  }

  /** Whichever branch is taken: that is not known before. */
  private static boolean of(Txn txn) {
    return of(txn.success()) || of(txn.failure());
  }

  private static boolean of(List<Op> ops) {
    return ops.stream().anyMatch(Growth::of);
  }

  private static boolean of(Op op) {
    if (op instanceof Op.Nested nested) {
      return of(nested.txn());
    }
    return !(op instanceof Op.Range || op instanceof Op.DeleteRange);
  }
}
