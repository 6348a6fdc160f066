package io.kvorum.client;

import io.kvorum.api.Bytes;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.Header;
import io.kvorum.protocol.KeyValue;
import io.kvorum.protocol.LeaseRevokeResponse;
import io.kvorum.protocol.Numbered;
import io.kvorum.protocol.PutResponse;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TransferResponse;
import io.kvorum.protocol.TxnResponse;
import io.kvorum.protocol.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a cluster of {@link FakeNode}s has executed. */
final class FakeStore {
  final Map<Bytes, Bytes> values = new TreeMap<>();

  /** How often a put of this value was executed; tests use each value once. */
  final Map<Bytes, Integer> puts = new TreeMap<>();

  /** How many transactions were executed. */
  int txns;

  /** All puts, in the order in which they took effect. */
  final List<Bytes> order = new ArrayList<>();

  /** Those that are not over, by id. */
  final Map<Long, Session> sessions = new TreeMap<>();

  private long revision;
  private long lastSession;

  /** What a session has executed. */
  static final class Session {
    final Map<Long, ServerFrame> answers = new TreeMap<>();
    long acknowledgedBelow;
  }

  /** Executes it, once if it has a number. */
  void execute(ClientFrame frame, ServerFrame.Builder answer) {
    if (!frame.hasNumbered()) {
      executeNow(frame, answer);
      return;
    }
    Numbered number = frame.getNumbered();
    Session session = sessions.get(number.getSession());
    if (session == null) {
      reject(Error.Reason.SESSION_EXPIRED, "no session " + number.getSession(), answer);
      return;
    }
    if (number.getSequence() < session.acknowledgedBelow) {
      reject(Error.Reason.INVALID_ARGUMENT, "acknowledged", answer);
      return;
    }
    ServerFrame first = session.answers.get(number.getSequence());
    if (first == null) {
      ServerFrame.Builder now = ServerFrame.newBuilder();
      executeNow(frame, now);
      first = now.build();
      session.answers.put(number.getSequence(), first);
    }
    session.acknowledgedBelow = Math.max(session.acknowledgedBelow, number.getAcknowledgedBelow());
    session.answers.keySet().removeIf(sequence -> sequence < session.acknowledgedBelow);
    answer.mergeFrom(first);
  }

  private static void reject(Error.Reason reason, String why, ServerFrame.Builder answer) {
    answer.setError(
        Error.newBuilder().setKind(Error.Kind.REJECTED).setReason(reason).setMessage(why));
  }

  private void executeNow(ClientFrame frame, ServerFrame.Builder answer) {
    switch (frame.getBodyCase()) {
      case PUT -> {
        Bytes value = Wire.fromProto(frame.getPut().getValue());
        values.put(Wire.fromProto(frame.getPut().getKey()), value);
        puts.merge(value, 1, Integer::sum);
        order.add(value);
        revision++;
        answer.setPut(PutResponse.getDefaultInstance());
      }
      case DELETE_RANGE -> {
        boolean removed = values.remove(Wire.fromProto(frame.getDeleteRange().getKey())) != null;
        revision += removed ? 1 : 0;
        answer.getDeleteRangeBuilder().setDeleted(removed ? 1 : 0);
      }
      case RANGE -> {
        Bytes key = Wire.fromProto(frame.getRange().getKey());
        Bytes value = values.get(key);
        answer.getRangeBuilder().setCount(value == null ? 0 : 1);
        if (value != null) {
          answer
              .getRangeBuilder()
              .addKvs(
                  KeyValue.newBuilder().setKey(Wire.toProto(key)).setValue(Wire.toProto(value)));
        }
      }
      case TXN -> {
        txns++;
        answer.setTxn(TxnResponse.newBuilder().setSucceeded(true));
      }
      case LEASE_GRANT -> {
        sessions.put(++lastSession, new Session());
        answer
            .getLeaseGrantBuilder()
            .setId(lastSession)
            .setTtlMillis(frame.getLeaseGrant().getTtlMillis());
      }
      case LEASE_RENEW -> {
        boolean isAlive = sessions.containsKey(frame.getLeaseRenew().getId(0));
        answer.getLeaseRenewBuilder().addTtlMillis(isAlive ? 60_000 : 0);
      }
      case LEASE_REVOKE -> {
        sessions.remove(frame.getLeaseRevoke().getId());
        answer.setLeaseRevoke(LeaseRevokeResponse.getDefaultInstance());
      }
      case TRANSFER -> answer.setTransfer(TransferResponse.getDefaultInstance());
      default -> throw new AssertionError("no request: " + frame);
    }
    answer.setHeader(Header.newBuilder().setRevision(revision));
  }

  int executions(Bytes value) {
    return puts.getOrDefault(value, 0);
  }
}
