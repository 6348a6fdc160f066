package io.kvorum.client;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.Members;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.SpaceUse;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.client.Request.Effect;
import io.kvorum.protocol.CompactRequest;
import io.kvorum.protocol.MembersChangeRequest;
import io.kvorum.protocol.MembersRequest;
import io.kvorum.protocol.MembersWire;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.ServerFrame.BodyCase;
import io.kvorum.protocol.SnapshotReadRequest;
import io.kvorum.protocol.SnapshotTakeRequest;
import io.kvorum.protocol.SpaceRequest;
import io.kvorum.protocol.StatusRequest;
import io.kvorum.protocol.StatusWire;
import io.kvorum.protocol.TransferRequest;
import io.kvorum.protocol.TxnRequest;
import io.kvorum.protocol.TxnRules;
import io.kvorum.protocol.TxnWire;
import io.kvorum.protocol.Wire;

/**
 * Makes requests of the operations of the API.
 *
 * <p>Arguments that no server accepts whatever its limits throw {@link KvException.Rejected}.
 */
final class Requests {
  private Requests() {}

  static Request<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    checkKey(key);
    KvException.Rejected refused = TxnRules.refusePut(value, options);
    if (refused != null) {
      throw refused;
    }
    return new Request<>(
        Wire.putRequest(key, value, options),
        Effect.COMMAND,
        key.size(),
        (long) key.size() + value.size(),
        BodyCase.PUT,
        answer -> Wire.putResult(answer.getHeader(), answer.getPut()),
        options.idempotencyKey());
  }

  static Request<GetResult> get(Bytes key, GetOptions options) {
    checkKey(key);
    checkNotNegative("revision", options.revision());
    return new Request<>(
        Wire.getRequest(key, options),
        Effect.NONE,
        key.size(),
        key.size(),
        BodyCase.RANGE,
        answer -> Wire.getResult(answer.getHeader(), answer.getRange()));
  }

  static Request<DeleteResult> delete(Bytes key, DeleteOptions options) {
    checkKey(key);
    return new Request<>(
        Wire.deleteRequest(key, options),
        Effect.COMMAND,
        key.size(),
        key.size(),
        BodyCase.DELETE_RANGE,
        Requests::deleteResult,
        options.idempotencyKey());
  }

  static Request<DeleteResult> delete(KeyRange range, DeleteOptions options) {
    return new Request<>(
        Wire.deleteRequest(range, options),
        Effect.COMMAND,
        keyBytes(range),
        range.from().size() + (long) Wire.rangeEnd(range).size(),
        BodyCase.DELETE_RANGE,
        Requests::deleteResult,
        options.idempotencyKey());
  }

  static Request<RangeResult> range(KeyRange range, RangeOptions options) {
    checkNotNegative("limit", options.limit());
    checkNotNegative("revision", options.revision());
    return new Request<>(
        Wire.rangeRequest(range, options),
        Effect.NONE,
        keyBytes(range),
        range.from().size() + (long) Wire.rangeEnd(range).size(),
        BodyCase.RANGE,
        answer -> Wire.rangeResult(answer.getHeader(), answer.getRange()));
  }

  /** One that only reads may be repeated like a read; any other one is like a put. */
  static Request<TxnResult> txn(Txn txn, TxnOptions options) {
    KvException.Rejected refused = TxnRules.refuse(txn);
    if (refused != null) {
      throw refused;
    }
    boolean isWrite = !txn.onlyReads();
    if (isWrite && !(options.consistency() instanceof ReadConsistency.Linearizable)) {
      throw invalid("a transaction that can write is linearizable, not " + options.consistency());
    }
    if (!isWrite && options.idempotencyKey().isPresent()) {
      throw invalid("a transaction that only reads has no use for an idempotency key");
    }
    TxnRequest request = TxnWire.request(txn, options);
    return new Request<>(
        request,
        isWrite ? Effect.COMMAND : Effect.NONE,
        0,
        request.getSerializedSize(),
        BodyCase.TXN,
        answer -> TxnWire.result(answer.getHeader(), answer.getTxn()),
        options.idempotencyKey());
  }

  static Request<NodeStatus> status(Endpoint endpoint) {
    return new Request<>(
        StatusRequest.getDefaultInstance(),
        Effect.NONE,
        0,
        0,
        BodyCase.STATUS,
        answer -> StatusWire.nodeStatus(endpoint.toString(), answer.getStatus()));
  }

  static Request<Members> members() {
    return new Request<>(
        MembersRequest.getDefaultInstance(),
        Effect.NONE,
        0,
        0,
        BodyCase.MEMBERS,
        answer -> MembersWire.members(answer.getMembers()));
  }

  static Request<Members> changeMembers(Members wanted) {
    MembersChangeRequest request = MembersWire.changeRequest(wanted);
    return new Request<>(
        request,
        Effect.OUTSIDE,
        0,
        request.getSerializedSize(),
        BodyCase.MEMBERS,
        answer -> MembersWire.members(answer.getMembers()));
  }

  static Request<Header> transferLeadership(String id) {
    return new Request<>(
        TransferRequest.newBuilder().setNodeId(id).build(),
        Effect.OUTSIDE,
        0,
        id.length(),
        BodyCase.TRANSFER,
        answer -> Wire.fromProto(answer.getHeader()));
  }

  static Request<SpaceUse> space() {
    return new Request<>(
        SpaceRequest.getDefaultInstance(),
        Effect.NONE,
        0,
        0,
        BodyCase.SPACE,
        answer -> StatusWire.space(answer.getSpace().getSpace()));
  }

  static Request<SpaceUse> setQuota(long bytes) {
    checkNotNegative("quota", bytes);
    return new Request<>(
        SpaceRequest.newBuilder().setQuotaBytes(bytes).build(),
        Effect.OUTSIDE,
        0,
        0,
        BodyCase.SPACE,
        answer -> StatusWire.space(answer.getSpace().getSpace()));
  }

  /** A physical one is not only a command: its answer waits for more. */
  static Request<CompactResult> compact(long revision, CompactOptions options) {
    if (revision < 1) {
      throw invalid("the revision is " + revision + ": it is at least 1");
    }
    return new Request<>(
        CompactRequest.newBuilder().setRevision(revision).setPhysical(options.physical()).build(),
        options.physical() ? Effect.OUTSIDE : Effect.COMMAND,
        0,
        0,
        BodyCase.COMPACT,
        answer -> new CompactResult(Wire.fromProto(answer.getHeader())));
  }

  /** Executing it twice takes two snapshots, or shares one. */
  static Request<TakenSnapshot> takeSnapshot(boolean lend) {
    return new Request<>(
        SnapshotTakeRequest.newBuilder().setLend(lend).build(),
        Effect.NONE,
        0,
        0,
        BodyCase.SNAPSHOT_TAKE,
        answer -> TakenSnapshot.of(answer.getSnapshotTake()));
  }

  static Request<byte[]> readSnapshot(String name, int file, long offset, int length) {
    return new Request<>(
        SnapshotReadRequest.newBuilder()
            .setName(name)
            .setFile(file)
            .setOffset(offset)
            .setLength(length)
            .build(),
        Effect.NONE,
        0,
        0,
        BodyCase.SNAPSHOT_READ,
        answer -> TakenSnapshot.content(answer.getSnapshotRead(), length));
  }

  private static DeleteResult deleteResult(ServerFrame answer) {
    return Wire.deleteResult(answer.getHeader(), answer.getDeleteRange());
  }

  private static int keyBytes(KeyRange range) {
    return Math.max(range.from().size(), Wire.rangeEnd(range).size());
  }

  private static void checkKey(Bytes key) {
    if (key.isEmpty()) {
      throw invalid("the key is empty: a key has at least 1 byte");
    }
  }

  private static void checkNotNegative(String name, long value) {
    if (value < 0) {
      throw invalid("the " + name + " is " + value + ": it is at least 0");
    }
  }

  static KvException.Rejected invalid(String message) {
    return new KvException.Rejected(
        KvException.Reason.INVALID_ARGUMENT, message + "; nothing was changed");
  }
}
