package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A store that is full, and the way out of that (FAULTS F166, etcd #16779, #9992, #14254): what
 * makes room is never refused, and what grows is refused wholly, on every member alike.
 */
class QuotaTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes OTHER = Bytes.utf8("other");
  private static final long LEASE = 7;

  private final SessionLab lab = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);

  private ApplyResult put(Bytes key, int valueBytes) {
    return put(key, valueBytes, PutOptions.DEFAULT, Stamp.at(0));
  }

  private ApplyResult put(Bytes key, int valueBytes, PutOptions how, Stamp stamp) {
    ByteString value = ByteString.copyFrom(Script.value(valueBytes, 1).toByteArray());
    return lab.apply(Commands.put(ByteString.copyFrom(key.toByteArray()), value, how, stamp));
  }

  private ApplyResult txn(Txn txn) {
    return lab.apply(Commands.txn(txn, 0));
  }

  private ApplyResult delete(Bytes key) {
    return lab.apply(Commands.deleteRange(KeyRange.single(key), DeleteOptions.DEFAULT, 0));
  }

  private ApplyResult quota(long bytes) {
    return lab.apply(Commands.quota(bytes, 0));
  }

  private Space space() {
    return lab.machine().space();
  }

  private Bytes value(Bytes key) {
    ReadOutcome<GetResult> outcome = lab.machine().get(key, 0);
    return ((ReadOutcome.Answered<GetResult>) outcome).result().value().orElse(null);
  }

  /** A lease with {@link #OTHER} on it, {@link #KEY}, and no room for anything. */
  private void fill() {
    assertThat(lab.apply(Commands.leaseGrant(LEASE, 5_000, 0)))
        .isInstanceOf(ApplyResult.LeaseGranted.class);
    put(OTHER, 10, PutOptions.DEFAULT.withLease(LEASE), Stamp.at(0));
    put(KEY, 1_000);
    put(KEY, 2_000);
    assertThat(quota(space().usedBytes())).isInstanceOf(ApplyResult.QuotaSet.class);
    assertThat(space().alarm()).isTrue();
  }

  /** Just now, not under a number: its result takes room itself. */
  private void isRefused(ApplyResult result) {
    isRefused(result, space().usedBytes());
  }

  private void isRefused(ApplyResult result, long usedBytes) {
    assertThat(result)
        .isInstanceOfSatisfying(
            ApplyResult.Rejected.class,
            rejected -> {
              assertThat(rejected.refusal().reason()).isEqualTo(Reason.SPACE_EXCEEDED);
              assertThat(rejected.refusal().message())
                  .contains(usedBytes + " of the " + space().quotaBytes() + " bytes")
                  .contains("deletes, compaction")
                  .endsWith("nothing was changed");
            });
  }

  @Test
  void aVersionCountsOnceWithKeyAndValueUntilItIsCompacted() {
    put(KEY, 1_000);
    assertThat(space().usedBytes()).isEqualTo(96 + 3 + 1_000);
    put(KEY, 2_000);
    assertThat(space().usedBytes()).isEqualTo(2 * (96 + 3) + 3_000);
    assertThat(space().reclaimableBytes()).isEqualTo(96 + 3 + 1_000);
    delete(KEY);
    assertThat(space().usedBytes()).isEqualTo(3 * (96 + 3) + 3_000);
    assertThat(space().reclaimableBytes()).isEqualTo(space().usedBytes());
    lab.apply(Commands.compact(3, 0));
    assertThat(space().usedBytes()).isEqualTo(2 * (96 + 3) + 2_000);
    lab.apply(Commands.compact(4, 0));
    assertThat(space().usedBytes()).isZero();
    lab.checkAgainstFullLog();
  }

  @Test
  void whatGrowsIsRefusedAndChangesNothing() {
    fill();
    long revision = lab.machine().header().revision();
    isRefused(put(KEY, 0));
    isRefused(put(Bytes.utf8("new"), 5));
    isRefused(txn(Txn.of(Op.add(Bytes.utf8("n"), 1))));
    isRefused(txn(Txn.of(Op.append(KEY, Bytes.utf8("more")))));
    isRefused(lab.apply(Commands.leaseGrant(8, 5_000, 0)));
    assertThat(lab.machine().header().revision()).isEqualTo(revision);
    assertThat(lab.machine().lease(8)).isNull();
    lab.checkAgainstFullLog();
  }

  @Test
  void aTransactionIsRefusedWhollyOrNotAtAll() {
    fill();
    isRefused(txn(Txn.of(Op.delete(OTHER), Op.put(KEY, Bytes.EMPTY))));
    assertThat(value(OTHER)).isNotNull();
    // What would be put if the comparison held does not matter.
    Txn deletes =
        Txn.when(Compare.version(KEY).isEqualTo(0))
            .then(Op.put(KEY, Bytes.EMPTY))
            .otherwise(Op.delete(OTHER), Op.get(KEY));
    assertThat(txn(deletes)).isInstanceOf(ApplyResult.TxnApplied.class);
    assertThat(value(OTHER)).isNull();
    lab.checkAgainstFullLog();
  }

  /** Each of these was refused by somebody once. */
  @Test
  void whatMakesRoomIsNeverRefused() {
    fill();
    LeaseRow lease = lab.machine().lease(LEASE);
    assertThat(lab.apply(Commands.leaseRenew(List.of(LEASE), 0)))
        .isInstanceOf(ApplyResult.LeasesRenewed.class);
    LeaseRow left = lab.machine().lease(LEASE).checkpoint(1_000);
    assertThat(lab.apply(Commands.leaseCheckpoint(Map.of(LEASE, left), 0)))
        .isInstanceOf(ApplyResult.LeasesCheckpointed.class);
    assertThat(lease).isNotNull();
    assertThat(txn(Txn.of(Op.get(KEY)))).isInstanceOf(ApplyResult.TxnApplied.class);
    assertThat(txn(Txn.of(Op.delete(KEY)))).isInstanceOf(ApplyResult.TxnApplied.class);
    // The deletion itself takes room, until it is compacted.
    assertThat(space().usedBytes()).isGreaterThan(space().quotaBytes());
    assertThat(lab.apply(Commands.leaseRevoke(LEASE, 0)))
        .isInstanceOf(ApplyResult.LeaseRevoked.class);
    assertThat(delete(Bytes.utf8("nothing"))).isInstanceOf(ApplyResult.DeleteApplied.class);
    assertThat(lab.apply(Commands.check())).isInstanceOf(ApplyResult.NothingApplied.class);
    assertThat(lab.open()).as("a session, to delete exactly once").isNotZero();
    long revision = lab.machine().header().revision();
    assertThat(lab.apply(Commands.compact(revision, 0))).isInstanceOf(ApplyResult.Compacted.class);
    assertThat(space().alarm()).isFalse();
    assertThat(put(KEY, 1_000)).isInstanceOf(ApplyResult.PutApplied.class);
    lab.checkAgainstFullLog();
  }

  @Test
  void aLeaseOfAFullStoreEnds() {
    fill();
    assertThat(lab.expire(LEASE)).isInstanceOf(ApplyResult.LeaseExpired.class);
    assertThat(value(OTHER)).isNull();
    lab.checkAgainstFullLog();
  }

  /** etcd #9992 and kubernetes #94029: the alarm stayed when there was room again. */
  @Test
  void theAlarmEndsByItselfAt95PercentHoweverRoomWasMade() {
    fill();
    lab.apply(Commands.compact(lab.machine().header().revision(), 0));
    assertThat(space().alarm()).isFalse();

    quota(space().usedBytes());
    assertThat(space().alarm()).isTrue();
    quota(space().usedBytes() * 100 / 96);
    assertThat(space().alarm()).as("96 percent, and it was on").isTrue();
    quota(space().usedBytes() * 100 / 95 + 2);
    assertThat(space().alarm()).isFalse();
    quota(space().usedBytes() * 100 / 96);
    assertThat(space().alarm()).as("96 percent, and nobody was refused").isFalse();
    isRefused(put(Bytes.utf8("big"), 5_000));
    assertThat(space().alarm()).isTrue();
    quota(0);
    assertThat(space().alarm()).isFalse();
    assertThat(put(Bytes.utf8("big"), 5_000)).isInstanceOf(ApplyResult.PutApplied.class);
    lab.checkAgainstFullLog();
  }

  @Test
  void whatIsTooLargeForAStoreWithRoomRaisesNoAlarm() {
    quota(1_000);
    isRefused(put(KEY, 5_000));
    assertThat(space().alarm()).isFalse();
    assertThat(put(KEY, 500)).isInstanceOf(ApplyResult.PutApplied.class);
  }

  @Test
  void theQuotaIsReachedToTheByte() {
    quota(96 + 3 + 1_000);
    isRefused(put(KEY, 1_001));
    assertThat(put(KEY, 1_000)).isInstanceOf(ApplyResult.PutApplied.class);
    assertThat(space().usedBytes()).isEqualTo(space().quotaBytes());
    assertThat(space().alarm()).isTrue();
  }

  /**
   * FAULTS F104, F110: what was applied as refused stays refused; what comes next does not wait.
   */
  @Test
  void aRefusalIsKeptUnderItsNumberAndTheNextNumberIsExecuted() {
    long session = lab.open();
    fill();
    Stamp first = Stamp.at(0).withNumber(session, 1, 1);
    long usedBytes = space().usedBytes();
    isRefused(put(KEY, 1, PutOptions.DEFAULT, first), usedBytes);
    quota(0);
    ApplyResult again = put(KEY, 1, PutOptions.DEFAULT, first);
    assertThat(again).isInstanceOf(ApplyResult.Repeated.class);
    assertThat(again.first()).isInstanceOf(ApplyResult.Rejected.class);
    assertThat(put(KEY, 1, PutOptions.DEFAULT, Stamp.at(0).withNumber(session, 2, 2)))
        .isInstanceOf(ApplyResult.PutApplied.class);
    lab.checkAgainstFullLog();
  }

  @Test
  void aRefusalLeavesNoRecordOfItsIdempotencyKey() {
    fill();
    Stamp once = Stamp.at(0).withIdempotency(ByteString.copyFromUtf8("i"), 5_000);
    isRefused(put(KEY, 1, PutOptions.DEFAULT, once));
    assertThat(lab.machine().leaseIds(LeaseKind.IDEMPOTENCY)).isEmpty();
    quota(0);
    ApplyResult executed = put(KEY, 1, PutOptions.DEFAULT, once);
    assertThat(executed).isInstanceOf(ApplyResult.PutApplied.class);
    assertThat(quota(1)).isInstanceOf(ApplyResult.QuotaSet.class);
    // It has happened: that the store is full by now is no reason to say otherwise.
    assertThat(put(KEY, 1, PutOptions.DEFAULT, once).first()).isEqualTo(executed);
    lab.checkAgainstFullLog();
  }

  @Test
  void aQuotaThatIsNoneIsRefused() {
    for (long bytes : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 50) + 1}) {
      assertThat(quota(bytes))
          .isInstanceOfSatisfying(
              ApplyResult.Rejected.class,
              rejected ->
                  assertThat(rejected.refusal().message())
                      .contains("not " + bytes)
                      .endsWith("nothing was changed"));
    }
    assertThat(space().quotaBytes()).isZero();
    assertThat(quota(1L << 50)).isInstanceOf(ApplyResult.QuotaSet.class);
  }

  @Test
  void quotaAndAlarmOutliveARestartAndGoWithASnapshot() {
    fill();
    lab.reopen();
    assertThat(space().alarm()).isTrue();
    lab.install(new MemoryHome(0), 2);
    assertThat(space().alarm()).isTrue();
    isRefused(put(KEY, 1));
    lab.checkAgainstFullLog();
  }
}
