package io.kvorum.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RangeCursorTest {
  private final Deque<CompletableFuture<RangeResult>> answers = new ArrayDeque<>();
  private final List<KeyRange> asked = new ArrayList<>();
  private final List<RangeOptions> how = new ArrayList<>();

  private final KvClient client =
      new KvClient() {
        @Override
        public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
          asked.add(range);
          how.add(options);
          return answers.remove();
        }

        @Override
        public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public Leases leases() {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public Watch watchWithSnapshot(
            KeyRange range, WatchOptions options, SnapshotListener listener) {
          throw new AssertionError("a cursor reads ranges only");
        }

        @Override
        public void close() {}
      };

  private static Bytes key(int number) {
    return Bytes.copyOf(new byte[] {(byte) number});
  }

  private void answer(long revision, boolean more, int... keys) {
    List<KeyValue> found = new ArrayList<>();
    for (int key : keys) {
      found.add(new KeyValue(key(key), Bytes.EMPTY, 1, 1, 1, 0));
    }
    answers.add(
        CompletableFuture.completedFuture(
            new RangeResult(new Header(revision, 1, 1, 1), found, more, 0)));
  }

  @Test
  void allPagesAreAsOfTheRevisionOfTheFirst() {
    answer(7, true, 1, 2);
    answer(9, false, 5);
    RangeCursor pages = client.pages(KeyRange.all(), RangeOptions.DEFAULT.withLimit(2));
    assertThat(pages.revision()).isZero();
    assertThat(pages.next().join()).extracting(KeyValue::key).containsExactly(key(1), key(2));
    assertThat(pages.revision()).isEqualTo(7);
    assertThat(pages.next().join()).extracting(KeyValue::key).containsExactly(key(5));
    assertThat(pages.isAtEnd()).isTrue();
    assertThat(how).extracting(RangeOptions::revision).containsExactly(0L, 7L);
    assertThat(how).allSatisfy(each -> assertThat(each.content().count()).isFalse());
    assertThat(asked.get(1).from()).isEqualTo(Bytes.copyOf(new byte[] {2, 0}));
    assertThatThrownBy(pages::next).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void pagesInReverseEndBelowTheLastKey() {
    answer(7, true, 0xff, 9);
    answer(7, true, 8);
    RangeCursor pages =
        client.pages(KeyRange.from(key(8)), RangeOptions.DEFAULT.withReverse().withRevision(3));
    pages.next().join();
    pages.next().join();
    assertThat(asked.get(1)).isEqualTo(KeyRange.of(key(8), key(9)));
    assertThat(how).extracting(RangeOptions::revision).containsExactly(3L, 3L);
    assertThat(pages.isAtEnd()).as("nothing lies before the first key").isTrue();
  }

  @Test
  void compactionThatOvertakesAReaderSaysHowFarItCame() {
    answer(7, true, 1, 2);
    answers.add(CompletableFuture.failedFuture(new KvException.Compacted("compacted", 12)));
    RangeCursor pages = client.pages(KeyRange.all());
    pages.next().join();
    BlockingKvClient blocking = client.blocking();
    assertThat(pages.next())
        .isCompletedExceptionally()
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            KvException.Compacted.class,
            overtaken -> assertThat(overtaken.compactRevision()).isEqualTo(12))
        .withMessageContaining("overtaken")
        .withMessageContaining("revision 7")
        .withMessageContaining("2 keys");
    answers.add(CompletableFuture.failedFuture(new KvException.Compacted("compacted", 12)));
    assertThatThrownBy(() -> blocking.scan(KeyRange.all()).hasNext())
        .isInstanceOf(KvException.Compacted.class);
  }

  @Test
  void pagesComeInOrderOfKeyOneAfterTheOther() {
    RangeOptions byVersion = RangeOptions.DEFAULT.withSort(RangeOptions.SortBy.VERSION);
    assertThatThrownBy(() -> client.pages(KeyRange.all(), byVersion))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client.pages(KeyRange.all(), RangeOptions.DEFAULT.withCountOnly()))
        .isInstanceOf(IllegalArgumentException.class);
    answers.add(new CompletableFuture<>());
    RangeCursor pages = client.pages(KeyRange.all());
    assertThat(pages.next()).isNotDone();
    assertThatThrownBy(pages::next).isInstanceOf(IllegalStateException.class);
  }
}
