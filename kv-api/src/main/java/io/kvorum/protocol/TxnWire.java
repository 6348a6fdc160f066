package io.kvorum.protocol;

import io.kvorum.api.Compare.Relation;
import io.kvorum.api.Compare.Target;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@link Wire} for transactions. Checks no limit but that of the depth, by which it calls itself:
 * for the rest see {@link TxnRules}.
 */
public final class TxnWire {
  private TxnWire() {}

  /** A request; {@link TxnRules} must have accepted the transaction. */
  public static TxnRequest request(Txn txn, TxnOptions options) {
    TxnRequest.Builder request = request(txn);
    return WireConsistency.set(request, options.consistency()).build();
  }

  private static TxnRequest.Builder request(Txn txn) {
    TxnRequest.Builder request = TxnRequest.newBuilder();
    txn.compares().forEach(compare -> request.addCompare(toProto(compare)));
    txn.success().forEach(op -> request.addSuccess(toProto(op)));
    txn.failure().forEach(op -> request.addFailure(toProto(op)));
    return request;
  }

  private static Compare toProto(io.kvorum.api.Compare compare) {
    return Compare.newBuilder()
        .setRelation(toProto(compare.relation()))
        .setTarget(toProto(compare.target()))
        .setKey(Wire.toProto(compare.range().from()))
        .setRangeEnd(Wire.rangeEnd(compare.range()))
        .setNumber(compare.number())
        .setValue(Wire.toProto(compare.value()))
        .build();
  }

  private static Compare.Relation toProto(Relation relation) {
    return switch (relation) {
      case EQUAL -> Compare.Relation.EQUAL;
      case NOT_EQUAL -> Compare.Relation.NOT_EQUAL;
      case LESS -> Compare.Relation.LESS;
      case GREATER -> Compare.Relation.GREATER;
    };
  }

  private static Compare.Target toProto(Target target) {
    return switch (target) {
      case VERSION -> Compare.Target.VERSION;
      case CREATE_REVISION -> Compare.Target.CREATE_REVISION;
      case MOD_REVISION -> Compare.Target.MOD_REVISION;
      case VALUE -> Compare.Target.VALUE;
      case LEASE -> Compare.Target.LEASE;
    };
  }

  private static RequestOp toProto(Op op) {
    RequestOp.Builder request = RequestOp.newBuilder();
    if (op instanceof Op.Put put) {
      return request.setPut(Wire.putRequest(put.key(), put.value(), put.options())).build();
    }
    if (op instanceof Op.DeleteRange delete) {
      return request.setDeleteRange(Wire.deleteRequest(delete.range(), delete.options())).build();
    }
    if (op instanceof Op.Range range) {
      return request.setRange(Wire.rangeRequest(range.range(), range.options())).build();
    }
    if (op instanceof Op.Add add) {
      return request
          .setAdd(AddRequest.newBuilder().setKey(Wire.toProto(add.key())).setDelta(add.delta()))
          .build();
    }
    if (op instanceof Op.Append append) {
      return request
          .setAppend(
              AppendRequest.newBuilder()
                  .setKey(Wire.toProto(append.key()))
                  .setSuffix(Wire.toProto(append.suffix())))
          .build();
    }
    if (op instanceof Op.Nested nested) {
      return request.setTxn(request(nested.txn())).build();
    }
    throw new AssertionError("no message for " + op.getClass());
  }

  /**
   * The transaction that a request means.
   *
   * @throws KvException.Rejected if it means none, or is nested too deep
   */
  public static Txn txn(TxnRequest request) {
    return txn(request, 1);
  }

  /** How to execute it. */
  public static TxnOptions options(TxnRequest request) {
    return new TxnOptions(WireConsistency.of(request));
  }

  private static Txn txn(TxnRequest request, int depth) {
    if (depth > TxnRules.DEPTH_MAX) {
      throw TxnRules.tooDeep();
    }
    List<io.kvorum.api.Compare> compares = new ArrayList<>(request.getCompareCount());
    for (Compare compare : request.getCompareList()) {
      compares.add(compare(compare));
    }
    return new Txn(
        compares, ops(request.getSuccessList(), depth), ops(request.getFailureList(), depth));
  }

  private static io.kvorum.api.Compare compare(Compare compare) {
    KeyRange range = Wire.keyRange(compare.getKey(), compare.getRangeEnd());
    Target target = target(compare);
    boolean isValue = target == Target.VALUE;
    return new io.kvorum.api.Compare(
        range,
        target,
        relation(compare),
        isValue ? 0 : compare.getNumber(),
        isValue ? Wire.fromProto(compare.getValue()) : io.kvorum.api.Bytes.EMPTY);
  }

  private static Relation relation(Compare compare) {
    return switch (compare.getRelation()) {
      case EQUAL -> Relation.EQUAL;
      case NOT_EQUAL -> Relation.NOT_EQUAL;
      case LESS -> Relation.LESS;
      case GREATER -> Relation.GREATER;
      case UNRECOGNIZED -> throw Wire.unsupported("relation", compare.getRelationValue());
    };
  }

  private static Target target(Compare compare) {
    return switch (compare.getTarget()) {
      case VERSION -> Target.VERSION;
      case CREATE_REVISION -> Target.CREATE_REVISION;
      case MOD_REVISION -> Target.MOD_REVISION;
      case VALUE -> Target.VALUE;
      case LEASE -> Target.LEASE;
      case UNRECOGNIZED -> throw Wire.unsupported("target", compare.getTargetValue());
    };
  }

  private static List<Op> ops(List<RequestOp> requests, int depth) {
    List<Op> ops = new ArrayList<>(requests.size());
    for (RequestOp request : requests) {
      ops.add(op(request, depth));
    }
    return ops;
  }

  private static Op op(RequestOp request, int depth) {
    return switch (request.getOpCase()) {
      case PUT -> {
        PutRequest put = request.getPut();
        Wire.checkKey(put.getKey());
        yield Op.put(
            Wire.fromProto(put.getKey()), Wire.fromProto(put.getValue()), Wire.options(put));
      }
      case DELETE_RANGE -> {
        DeleteRangeRequest delete = request.getDeleteRange();
        yield Op.deleteRange(
            Wire.keyRange(delete.getKey(), delete.getRangeEnd()), Wire.options(delete));
      }
      case RANGE -> {
        RangeRequest range = request.getRange();
        yield Op.range(Wire.keyRange(range.getKey(), range.getRangeEnd()), Wire.options(range));
      }
      case TXN -> Op.txn(txn(request.getTxn(), depth + 1));
      case ADD -> {
        Wire.checkKey(request.getAdd().getKey());
        yield Op.add(Wire.fromProto(request.getAdd().getKey()), request.getAdd().getDelta());
      }
      case APPEND -> {
        AppendRequest append = request.getAppend();
        Wire.checkKey(append.getKey());
        yield Op.append(Wire.fromProto(append.getKey()), Wire.fromProto(append.getSuffix()));
      }
      case OP_NOT_SET ->
          throw new KvException.Rejected(
              KvException.Reason.UNSUPPORTED,
              "an operation of the transaction is empty, or this server does not know it; nothing"
                  + " was changed");
    };
  }

  public static TxnResponse toProto(TxnResult result) {
    return response(result.succeeded(), result.results());
  }

  private static TxnResponse response(boolean succeeded, List<OpResult> results) {
    TxnResponse.Builder response = TxnResponse.newBuilder().setSucceeded(succeeded);
    results.forEach(result -> response.addResponses(toProto(result)));
    return response.build();
  }

  private static ResponseOp toProto(OpResult result) {
    ResponseOp.Builder response = ResponseOp.newBuilder();
    if (result instanceof OpResult.Put put) {
      PutResponse.Builder done = PutResponse.newBuilder();
      put.previous().ifPresent(previous -> done.setPrevKv(Wire.toProto(previous)));
      return response.setPut(done).build();
    }
    if (result instanceof OpResult.DeleteRange delete) {
      DeleteRangeResponse.Builder done =
          DeleteRangeResponse.newBuilder().setDeleted(delete.deleted());
      delete.previous().forEach(previous -> done.addPrevKvs(Wire.toProto(previous)));
      return response.setDeleteRange(done).build();
    }
    if (result instanceof OpResult.Range range) {
      RangeResponse.Builder done =
          RangeResponse.newBuilder().setMore(range.more()).setCount(range.count());
      range.keyValues().forEach(found -> done.addKvs(Wire.toProto(found)));
      return response.setRange(done).build();
    }
    if (result instanceof OpResult.Add add) {
      return response.setAdd(AddResponse.newBuilder().setValue(add.value())).build();
    }
    if (result instanceof OpResult.Append append) {
      return response
          .setAppend(AppendResponse.newBuilder().setValueBytes(append.valueBytes()))
          .build();
    }
    if (result instanceof OpResult.Nested nested) {
      return response.setTxn(response(nested.succeeded(), nested.results())).build();
    }
    throw new AssertionError("no message for " + result.getClass());
  }

  public static TxnResult result(Header header, TxnResponse response) {
    return new TxnResult(
        Wire.fromProto(header), response.getSucceeded(), results(response.getResponsesList()));
  }

  private static List<OpResult> results(List<ResponseOp> responses) {
    List<OpResult> results = new ArrayList<>(responses.size());
    for (ResponseOp response : responses) {
      results.add(result(response));
    }
    return results;
  }

  private static OpResult result(ResponseOp response) {
    return switch (response.getResponseCase()) {
      case PUT ->
          new OpResult.Put(
              response.getPut().hasPrevKv()
                  ? Optional.of(Wire.fromProto(response.getPut().getPrevKv()))
                  : Optional.empty());
      case DELETE_RANGE ->
          new OpResult.DeleteRange(
              response.getDeleteRange().getDeleted(),
              Wire.keyValues(response.getDeleteRange().getPrevKvsList()));
      case RANGE ->
          new OpResult.Range(
              Wire.keyValues(response.getRange().getKvsList()),
              response.getRange().getMore(),
              response.getRange().getCount());
      case TXN ->
          new OpResult.Nested(
              response.getTxn().getSucceeded(), results(response.getTxn().getResponsesList()));
      case ADD -> new OpResult.Add(response.getAdd().getValue());
      case APPEND -> new OpResult.Append(response.getAppend().getValueBytes());
      case RESPONSE_NOT_SET ->
          throw new IllegalStateException("the server answered an operation with nothing known");
    };
  }
}
