package io.kvorum.server.store;

import com.google.protobuf.InvalidProtocolBufferException;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.OpResult;
import io.kvorum.protocol.CompactResponse;
import io.kvorum.protocol.ErrorsWire;
import io.kvorum.protocol.LeaseWire;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TxnWire;
import io.kvorum.protocol.Wire;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Results as they are kept: as the frame that answers a client, with the header also where it is an
 * error; its id is the lease that was revoked, else 0. What is read back equals what was written.
 */
final class ResultFormat {
  /** About what a result takes beside the keys and values in it. */
  private static final int OVERHEAD_BYTES = 128;

  private ResultFormat() {}

  static byte[] encode(ApplyResult result) {
    ServerFrame.Builder frame = ServerFrame.newBuilder().setHeader(Wire.toProto(result.header()));
    if (result instanceof ApplyResult.PutApplied put) {
      frame.setPut(Wire.toProto(put.result()));
    } else if (result instanceof ApplyResult.DeleteApplied delete) {
      frame.setDeleteRange(Wire.toProto(delete.result()));
    } else if (result instanceof ApplyResult.TxnApplied txn) {
      frame.setTxn(TxnWire.toProto(txn.result()));
    } else if (result instanceof ApplyResult.LeaseGranted grant) {
      frame.setLeaseGrant(LeaseWire.toProto(grant.result()));
    } else if (result instanceof ApplyResult.LeaseRevoked revoked) {
      frame.setId(revoked.id()).setLeaseRevoke(LeaseWire.toProto(revoked.result()));
    } else if (result instanceof ApplyResult.Compacted) {
      frame.setCompact(CompactResponse.getDefaultInstance());
    } else if (result instanceof ApplyResult.Rejected rejected) {
      Refusal refusal = rejected.refusal();
      frame.setError(
          ErrorsWire.toProto(new KvException.Rejected(refusal.reason(), refusal.message())));
    } else {
      throw new AssertionError("no result that is kept: " + result);
    }
    return frame.build().toByteArray();
  }

  /** Reads the rest of the buffer. */
  static ApplyResult decode(ByteBuffer content) {
    ServerFrame frame;
    try {
      frame = ServerFrame.parseFrom(content);
    } catch (InvalidProtocolBufferException damaged) {
      throw new IllegalStateException("a result that was kept is damaged", damaged);
    }
    Header header = Wire.fromProto(frame.getHeader());
    return switch (frame.getBodyCase()) {
      case PUT -> new ApplyResult.PutApplied(Wire.putResult(frame.getHeader(), frame.getPut()));
      case DELETE_RANGE ->
          new ApplyResult.DeleteApplied(
              Wire.deleteResult(frame.getHeader(), frame.getDeleteRange()));
      case TXN -> new ApplyResult.TxnApplied(TxnWire.result(frame.getHeader(), frame.getTxn()));
      case LEASE_GRANT ->
          new ApplyResult.LeaseGranted(
              LeaseWire.grant(frame.getHeader(), frame.getLeaseGrant()), LeaseKind.USER);
      case LEASE_REVOKE ->
          new ApplyResult.LeaseRevoked(
              frame.getId(), LeaseWire.revocation(frame.getHeader(), frame.getLeaseRevoke()));
      case COMPACT -> new ApplyResult.Compacted(new CompactResult(header));
      case ERROR -> new ApplyResult.Rejected(header, refusal(frame));
      default -> throw new IllegalStateException("no result that is kept: " + frame.getBodyCase());
    };
  }

  private static Refusal refusal(ServerFrame frame) {
    if (ErrorsWire.toException(frame.getError()) instanceof KvException.Rejected rejected) {
      return new Refusal(rejected.reason(), String.valueOf(rejected.getMessage()));
    }
    throw new IllegalStateException("only refusals are kept: " + frame.getError());
  }

  /** What a result counts against the limits: the same wherever it was read from. */
  static int bytes(ApplyResult result) {
    long bytes = OVERHEAD_BYTES;
    if (result instanceof ApplyResult.PutApplied put) {
      bytes += put.result().previous().map(StoreLimits::answerBytes).orElse(0L);
    } else if (result instanceof ApplyResult.DeleteApplied delete) {
      bytes += bytes(delete.result());
    } else if (result instanceof ApplyResult.TxnApplied txn) {
      bytes += bytes(txn.result().results());
    } else if (result instanceof ApplyResult.Rejected rejected) {
      bytes += rejected.refusal().message().length();
    }
    return (int) bytes;
  }

  private static long bytes(DeleteResult delete) {
    return keyValueBytes(delete.previous());
  }

  private static long keyValueBytes(List<KeyValue> keyValues) {
    return keyValues.stream().mapToLong(StoreLimits::answerBytes).sum();
  }

  private static long bytes(List<OpResult> results) {
    long bytes = 0;
    for (OpResult result : results) {
      bytes += StoreLimits.KEY_VALUE_OVERHEAD_BYTES;
      if (result instanceof OpResult.Put put) {
        bytes += put.previous().map(StoreLimits::answerBytes).orElse(0L);
      } else if (result instanceof OpResult.DeleteRange delete) {
        bytes += keyValueBytes(delete.previous());
      } else if (result instanceof OpResult.Range range) {
        bytes += keyValueBytes(range.keyValues());
      } else if (result instanceof OpResult.Nested nested) {
        bytes += bytes(nested.results());
      }
    }
    return bytes;
  }
}
