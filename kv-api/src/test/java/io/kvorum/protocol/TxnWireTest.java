package io.kvorum.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare.Relation;
import io.kvorum.api.Compare.Target;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Transactions keep their meaning on the way to the server and back. */
class TxnWireTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.copyOf(new byte[] {(byte) 0xff, (byte) 0xff});

  private static Txn sent(Txn txn) throws InvalidProtocolBufferException {
    byte[] bytes = TxnWire.request(txn, TxnOptions.DEFAULT).toByteArray();
    return TxnWire.txn(TxnRequest.parseFrom(bytes));
  }

  @Test
  void everyComparisonComesBack() throws InvalidProtocolBufferException {
    List<io.kvorum.api.Compare> compares = new ArrayList<>();
    for (KeyRange range :
        List.of(KeyRange.single(A), KeyRange.prefix(B), KeyRange.all(), KeyRange.of(A, B))) {
      for (Relation relation : Relation.values()) {
        for (Target target : Target.values()) {
          boolean isValue = target == Target.VALUE;
          compares.add(
              new io.kvorum.api.Compare(
                  range, target, relation, isValue ? 0 : -7, isValue ? B : Bytes.EMPTY));
        }
      }
    }
    Txn txn = new Txn(compares, List.of(), List.of());
    assertThat(sent(txn)).isEqualTo(txn);
  }

  @Test
  void everyOperationComesBack() throws InvalidProtocolBufferException {
    RangeOptions how =
        RangeOptions.DEFAULT
            .withLimit(3)
            .withRevision(4)
            .withSort(RangeOptions.SortBy.VALUE)
            .withReverse()
            .withKeysOnly()
            .withoutCount()
            .withFilter(new RevisionFilter(1, 2, 3, 4));
    Txn txn =
        Txn.of(
                Op.put(A, B),
                Op.put(A, Bytes.EMPTY, new PutOptions(true, true, 0, true)),
                Op.put(A, B, PutOptions.DEFAULT.withLease(Long.MIN_VALUE)),
                Op.delete(A),
                Op.deleteRange(KeyRange.from(B), new DeleteOptions(true)))
            .otherwise(
                Op.get(A),
                Op.range(KeyRange.prefix(A), how),
                Op.range(KeyRange.all(), RangeOptions.DEFAULT.withCountOnly()),
                Op.add(A, Long.MIN_VALUE),
                Op.append(B, A),
                Op.txn(Txn.of(Op.txn(Txn.when().otherwise(Op.get(B))))));
    assertThat(sent(txn)).isEqualTo(txn);
  }

  @Test
  void everyResultComesBack() throws InvalidProtocolBufferException {
    io.kvorum.api.KeyValue held = new io.kvorum.api.KeyValue(A, B, 1, 2, 3, 4);
    TxnResult result =
        new TxnResult(
            new io.kvorum.api.Header(1, 2, 3, 4),
            true,
            List.of(
                new OpResult.Put(Optional.empty()),
                new OpResult.Put(Optional.of(held)),
                new OpResult.DeleteRange(2, List.of(held, held)),
                new OpResult.Range(List.of(held), true, 9),
                new OpResult.Add(-1),
                new OpResult.Append(1L << 40),
                new OpResult.Nested(false, List.of(new OpResult.Add(1)))));
    TxnResponse response = TxnResponse.parseFrom(TxnWire.toProto(result).toByteArray());
    assertThat(TxnWire.result(Wire.toProto(result.header()), response)).isEqualTo(result);
    assertThat(result.results().stream().map(Object::getClass).distinct().count())
        .as("one of each")
        .isEqualTo(OpResult.class.getPermittedSubclasses().length);
  }

  @Test
  void theConsistencyComesBack() {
    for (ReadConsistency consistency :
        List.of(
            ReadConsistency.LINEARIZABLE,
            ReadConsistency.LEASE,
            ReadConsistency.boundedStaleness(Duration.ofNanos(5)))) {
      TxnOptions how = new TxnOptions(consistency);
      assertThat(TxnWire.options(TxnWire.request(Txn.of(Op.get(A)), how))).isEqualTo(how);
    }
  }

  @Test
  void whatMeansNothingIsRejected() {
    ByteString key = ByteString.copyFromUtf8("k");
    rejected(request(RequestOp.newBuilder()), Reason.UNSUPPORTED);
    rejected(
        request(RequestOp.newBuilder().setPut(PutRequest.newBuilder())), Reason.INVALID_ARGUMENT);
    rejected(
        request(RequestOp.newBuilder().setAdd(AddRequest.newBuilder())), Reason.INVALID_ARGUMENT);
    rejected(
        request(RequestOp.newBuilder().setAppend(AppendRequest.newBuilder())),
        Reason.INVALID_ARGUMENT);
    rejected(
        request(
            RequestOp.newBuilder()
                .setDeleteRange(DeleteRangeRequest.newBuilder().setKey(key).setRangeEnd(key))),
        Reason.INVALID_ARGUMENT);
    rejected(
        request(
            RequestOp.newBuilder()
                .setRange(RangeRequest.newBuilder().setKey(key).setSortByValue(77))),
        Reason.UNSUPPORTED);
    Compare.Builder compare = Compare.newBuilder().setKey(key);
    rejected(
        TxnRequest.newBuilder().addCompare(compare.clone().setTargetValue(77)).build(),
        Reason.UNSUPPORTED);
    rejected(
        TxnRequest.newBuilder().addCompare(compare.clone().setRelationValue(77)).build(),
        Reason.UNSUPPORTED);
    TxnRequest deep = TxnRequest.getDefaultInstance();
    for (int i = 0; i < TxnRules.DEPTH_MAX; i++) {
      deep = request(RequestOp.newBuilder().setTxn(deep));
    }
    rejected(deep, Reason.TOO_MANY_OPERATIONS);
  }

  private static TxnRequest request(RequestOp.Builder op) {
    return TxnRequest.newBuilder().addFailure(op).build();
  }

  private static void rejected(TxnRequest request, Reason reason) {
    assertThatThrownBy(() -> TxnWire.txn(request))
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected -> assertThat(rejected.reason()).isEqualTo(reason));
  }
}
