package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeOptions.SortBy;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions and ranges through the whole stack: API, protocol, log, store. */
class KvNodeTxnTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes ONE = Bytes.utf8("1");

  @TempDir private Path directory;
  private KvNode node;
  private BlockingKvClient kv;

  @BeforeEach
  void start() {
    node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build());
    kv = node.blocking();
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void everyKindOfOperationComesBackWithItsResult() {
    Txn txn =
        Txn.when(Compare.modRevision(A).isEqualTo(0), Compare.lease(KeyRange.all()).isLessThan(1))
            .then(
                Op.put(A, ONE, PutOptions.DEFAULT.withPrevious()),
                Op.range(KeyRange.all()),
                Op.add(Bytes.utf8("n"), -3),
                Op.append(Bytes.utf8("s"), ONE),
                Op.txn(Txn.when(Compare.value(A).isEqualTo(ONE)).otherwise(Op.get(A))),
                Op.deleteRange(KeyRange.prefix(B)))
            .otherwise(Op.get(A));
    TxnResult first = kv.txn(txn);
    KeyValue a = new KeyValue(A, ONE, 2, 2, 1, 0);
    assertThat(first.succeeded()).isTrue();
    assertThat(first.header().revision()).isEqualTo(2);
    assertThat(first.results())
        .containsExactly(
            new OpResult.Put(java.util.Optional.empty()),
            new OpResult.Range(List.of(a), false, 1),
            new OpResult.Add(-3),
            new OpResult.Append(1),
            new OpResult.Nested(false, List.of(new OpResult.Range(List.of(a), false, 1))),
            new OpResult.DeleteRange(0, List.of()));
    TxnResult second = kv.txn(txn);
    assertThat(second.succeeded()).isFalse();
    assertThat(second.results()).containsExactly(new OpResult.Range(List.of(a), false, 1));
  }

  @Test
  void oneThatOnlyReadsIsNoEntryOfTheLog() {
    kv.put(A, ONE);
    long applied = kv.get(A).header().appliedIndex();
    Txn single = Txn.when(Compare.version(A).isEqualTo(1)).then(Op.get(A));
    Txn ranges = single.then(Op.range(KeyRange.all()));
    for (ReadConsistency consistency :
        List.of(
            ReadConsistency.LINEARIZABLE,
            ReadConsistency.LEASE,
            ReadConsistency.boundedStaleness(Duration.ofMinutes(1)))) {
      TxnOptions how = TxnOptions.DEFAULT.withConsistency(consistency);
      assertThat(kv.txn(single, how).succeeded()).isTrue();
      TxnResult both = kv.txn(ranges, how);
      assertThat(both.results()).hasSize(2);
      assertThat(both.header().appliedIndex()).isEqualTo(applied);
    }
    Txn future = Txn.of(Op.get(A, GetOptions.DEFAULT.withRevision(99)));
    assertThatThrownBy(() -> kv.txn(future)).hasMessageContaining("99");
  }

  @Test
  void createAndCompareAndSetSayWhatTheyFound() {
    assertThat(kv.create(A, ONE).succeeded()).isTrue();
    var taken = kv.create(A, Bytes.utf8("2"));
    assertThat(taken.succeeded()).isFalse();
    assertThat(taken.found().map(KeyValue::value)).contains(ONE);
    var replaced = kv.compareAndSet(A, 2, B, PutOptions.DEFAULT.withPrevious());
    assertThat(replaced.succeeded()).isTrue();
    assertThat(replaced.found().map(KeyValue::value)).contains(ONE);
    assertThat(kv.compareAndSet(A, 2, ONE).succeeded()).isFalse();
    assertThat(kv.get(A).value()).contains(B);
  }

  @Test
  void whatIsRefusedInApplyIsRejectedWithItsReason() {
    kv.put(A, ONE);
    rejected(Txn.of(Op.put(B, ONE), Op.add(A, 1)), Reason.NOT_A_COUNTER);
    rejected(Txn.of(Op.put(B, ONE, PutOptions.DEFAULT.withLease(5))), Reason.LEASE_NOT_FOUND);
    PutOptions keep = PutOptions.DEFAULT.withKeepValue();
    rejected(Txn.of(Op.put(B, Bytes.EMPTY, keep)), Reason.KEY_NOT_FOUND);
    assertThatThrownBy(() -> kv.put(B, Bytes.EMPTY, keep)).hasMessageContaining("key not found");
    assertThatThrownBy(() -> kv.put(A, ONE, keep)).hasMessageContaining("gives no value");
    assertThat(kv.get(A).header().revision()).isEqualTo(2);
  }

  private void rejected(Txn txn, Reason reason) {
    assertThatThrownBy(() -> kv.txn(txn))
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected -> assertThat(rejected.reason()).isEqualTo(reason));
  }

  /** FAULTS F141: who waits for a transaction does not matter to whoever applies it. */
  @Test
  void aCancelledTransactionIsExecutedAsAWholeOrNotAtAll() {
    Bytes counter = Bytes.utf8("counter");
    KeyRange keys = KeyRange.prefix(Bytes.utf8("key"));
    for (int i = 0; i < 100; i++) {
      Op put = Op.put(Bytes.utf8("key" + i), ONE);
      CompletableFuture<TxnResult> txn = node.txn(Txn.of(put, Op.range(keys), Op.add(counter, 1)));
      if (i % 3 > 0) {
        txn.cancel(true);
      }
    }
    TxnResult last = kv.txn(Txn.of(Op.range(keys), Op.add(counter, 0)));
    long executed = ((OpResult.Add) last.results().get(1)).value();
    assertThat(((OpResult.Range) last.results().get(0)).count()).isEqualTo(executed);
    assertThat(executed).isBetween(34L, 100L);
    assertThat(last.header().revision()).as("one revision for each").isEqualTo(2 + executed);
    assertThat(node.failure()).isNotDone();
  }

  /** FAULTS F139. */
  @Test
  void rangesAreSortedAndFilteredByTheServer() {
    for (String key : List.of("x", "y", "z", "y")) {
      kv.put(Bytes.utf8(key), Bytes.utf8("of " + key));
    }
    RangeOptions byVersion = RangeOptions.DEFAULT.withSort(SortBy.VERSION).withReverse();
    assertThat(names(byVersion)).containsExactly("y", "x", "z");
    assertThat(names(byVersion.withLimit(1).withKeysOnly())).containsExactly("y");
    assertThat(names(RangeOptions.DEFAULT.withSort(SortBy.MOD_REVISION)))
        .containsExactly("x", "z", "y");
    RangeOptions since =
        RangeOptions.DEFAULT.withFilter(RevisionFilter.NONE.withMinModRevision(4)).withLimit(1);
    var filtered = kv.range(KeyRange.all(), since);
    assertThat(filtered.keyValues()).extracting(found -> found.key().toUtf8()).containsExactly("y");
    assertThat(filtered.more()).isTrue();
    assertThat(filtered.count()).isEqualTo(3);
    assertThat(kv.range(KeyRange.all(), since.withoutCount()).count()).isZero();
  }

  private List<String> names(RangeOptions how) {
    return kv.range(KeyRange.all(), how).keyValues().stream().map(kv -> kv.key().toUtf8()).toList();
  }

  /** FAULTS F139: pages at one revision are complete and without duplicates. */
  @Test
  void aLongRangeComesInPagesAsOfOneRevision() {
    List<Bytes> keys = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      keys.add(Bytes.utf8("k" + (10 + i)));
      kv.put(keys.get(i), ONE);
    }
    List<Bytes> reversed = new ArrayList<>(keys);
    java.util.Collections.reverse(reversed);
    for (long page : new long[] {1, 7, 25, 26, 0}) {
      RangeOptions how = RangeOptions.DEFAULT.withLimit(page);
      assertThat(disturbed(kv.scan(KeyRange.all(), how))).isEqualTo(keys);
      assertThat(disturbed(kv.scan(KeyRange.prefix(Bytes.utf8("k")), how.withReverse())))
          .isEqualTo(reversed);
    }
  }

  /** Reads to the end, while keys come and go. */
  private List<Bytes> disturbed(Iterator<KeyValue> scan) {
    List<Bytes> found = new ArrayList<>();
    while (scan.hasNext()) {
      found.add(scan.next().key());
      kv.put(Bytes.utf8("k19x"), ONE);
      kv.delete(Bytes.utf8("k19x"));
    }
    return found;
  }
}
