package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random work for a store: what happens to it, in order. */
final class Script {
  /** One thing that happens. */
  sealed interface Step {}

  record Put(Bytes key, int valueBytes, boolean previous, long time) implements Step {}

  record Delete(KeyRange range, boolean previous, long time) implements Step {}

  record Transaction(Txn txn, long time) implements Step {}

  /** Not through the log. */
  record ReadTransaction(Txn txn) implements Step {}

  /** A put of a key that shall hang on a lease. */
  record LeasedPut(Bytes key, long lease, long time) implements Step {}

  record LeaseGrant(long id, long ttlMillis) implements Step {}

  record LeaseRevoke(long id) implements Step {}

  record LeaseRenew(List<Long> ids) implements Step {}

  /**
   * @param stale whether its sender missed the last renewal
   */
  record LeaseExpire(long id, boolean stale) implements Step {}

  record LeaseCheckpoint(long id, long millis, boolean stale) implements Step {}

  /**
   * @param past as of {@link Get}
   */
  record Compact(int past) implements Step {}

  /** The store may take so much from then on. */
  record Quota(long bytes) implements Step {}

  /** A step of the removal is looked for, unless one waits already: it finds what is there now. */
  record BeginRemoval(int events) implements Step {}

  /** What was found is removed. */
  record EndRemoval() implements Step {}

  record NoOp(boolean nextTerm) implements Step {}

  /** A command that a front lets no one propose: apply refuses it, and moves on. */
  record Refused(Offence offence, long time) implements Step {}

  /** What is wrong with a command. */
  enum Offence {
    PUT_WITHOUT_KEY,
    DELETE_WITHOUT_KEY,
    DELETE_OF_NOTHING,
    DELETE_BACKWARDS
  }

  /** Applies what has been proposed since the last time, as one batch. */
  record ApplyAll() implements Step {}

  /**
   * @param past how far back, in revisions; 0: now; negative: ahead, which is refused
   */
  record Get(Bytes key, int past) implements Step {}

  record Range(KeyRange range, RangeOptions options, int past) implements Step {}

  /** Closes and opens again. */
  record Reopen() implements Step {}

  /** Loses what is not durable, and replays the log in batches of this size. */
  record Crash(int batch) implements Step {}

  record Flush() implements Step {}

  /**
   * The state is installed in another store, which goes on with it.
   *
   * @param meanwhile entries that are applied before the checkpoint is written
   * @param beginning entries that the other store has applied
   */
  record Install(int meanwhile, int beginning) implements Step {}

  /** Keys at each edge of unsigned order and of prefixes (FAULTS F138). */
  static final List<Bytes> KEYS =
      List.of(
          key(0),
          key(0, 0),
          key('a'),
          key('a', 0),
          key('a', 'b'),
          key('a', 0xff),
          key('a', 0xff, 0xff),
          key('b'),
          key(0x7f),
          key(0x80),
          key(0xff),
          key(0xff, 0xff));

  /** Sizes around what stands in the latest row, and past what goes to a blob. */
  private static final List<Integer> VALUE_BYTES = List.of(0, 1, 100, 1024, 1025, 5000);

  /** None more often than the others, which fill after a few puts. */
  private static final List<Long> QUOTA_BYTES = List.of(0L, 0L, 0L, 1L, 600L, 2_000L, 9_000L);

  private Script() {}

  static Bytes key(int... bytes) {
    byte[] key = new byte[bytes.length];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) bytes[i];
    }
    return Bytes.wrapUnsafe(key);
  }

  /** Not the same bytes at any two indexes. */
  static Bytes value(int size, long index) {
    byte[] value = new byte[size];
    for (int i = 0; i < size; i++) {
      value[i] = (byte) (index * 131 + i * 7L);
    }
    return Bytes.wrapUnsafe(value);
  }

  static Arbitrary<List<Step>> steps() {
    return Arbitraries.frequencyOf(
            Tuple.of(12, put()),
            Tuple.of(4, delete()),
            Tuple.of(1, Arbitraries.of(false, true).map(NoOp::new)),
            Tuple.of(1, refused()),
            Tuple.of(6, Combinators.combine(TxnScripts.txns(), time()).as(Transaction::new)),
            Tuple.of(4, leasedPut()),
            Tuple.of(4, leases()),
            Tuple.of(2, Arbitraries.integers().between(-1, 8).map(Compact::new)),
            Tuple.of(2, Arbitraries.of(QUOTA_BYTES).map(Quota::new)),
            Tuple.of(4, Arbitraries.of(1, 2, 1000).map(BeginRemoval::new)),
            Tuple.of(4, Arbitraries.just(new EndRemoval())),
            Tuple.of(2, TxnScripts.reads().map(ReadTransaction::new)),
            Tuple.of(4, Arbitraries.just(new ApplyAll())),
            Tuple.of(4, get()),
            Tuple.of(8, range()),
            Tuple.of(1, Arbitraries.just(new Reopen())),
            Tuple.of(2, Arbitraries.integers().between(1, 9).map(Crash::new)),
            Tuple.of(1, Arbitraries.just(new Flush())),
            Tuple.of(1, install()))
        .list()
        .ofMinSize(1)
        .ofMaxSize(60);
  }

  static Arbitrary<StoreOptions> options() {
    return Combinators.combine(
            Arbitraries.of(1, 2, 5, 1000),
            Arbitraries.of(1L, 4000L, 1L << 20),
            Arbitraries.of(0L, 400L, 1L << 20),
            Arbitraries.of(1L, 300L, 1L << 20),
            Arbitraries.of(1, 3, 1000))
        .as(
            (rows, bytes, cache, answer, removal) ->
                new StoreOptions(rows, bytes, cache, answer, removal, 0));
  }

  private static Arbitrary<Step> install() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 9), Arbitraries.integers().between(0, 60))
        .as(Install::new);
  }

  private static Arbitrary<Step> put() {
    return Combinators.combine(
            Arbitraries.of(KEYS), Arbitraries.of(VALUE_BYTES), Arbitraries.of(false, true), time())
        .as(Put::new);
  }

  /** Ids of leases, negative ones too. */
  static final List<Long> LEASES = List.of(-3L, 7L, 8L);

  private static Arbitrary<Step> leasedPut() {
    return Combinators.combine(Arbitraries.of(KEYS), Arbitraries.of(LEASES), time())
        .as(LeasedPut::new);
  }

  private static Arbitrary<Step> leases() {
    Arbitrary<Long> ids = Arbitraries.of(LEASES);
    Arbitrary<Boolean> stale = Arbitraries.of(false, false, true);
    return Arbitraries.frequencyOf(
        Tuple.of(
            5,
            Combinators.combine(
                    Arbitraries.of(-3L, 7L, 8L, 0L),
                    Arbitraries.of(0L, 2500L, 9_000_000_000_000L, 9_000_000_000_001L))
                .as(LeaseGrant::new)),
        Tuple.of(2, ids.map(LeaseRevoke::new)),
        Tuple.of(2, ids.list().ofMaxSize(3).map(LeaseRenew::new)),
        Tuple.of(3, Combinators.combine(ids, stale).as(LeaseExpire::new)),
        Tuple.of(
            2,
            Combinators.combine(ids, Arbitraries.longs().between(-1, 3000), stale)
                .as(LeaseCheckpoint::new)));
  }

  private static Arbitrary<Step> delete() {
    return Combinators.combine(ranges(), Arbitraries.of(false, true), time()).as(Delete::new);
  }

  private static Arbitrary<Step> refused() {
    return Combinators.combine(Arbitraries.of(Offence.values()), time()).as(Refused::new);
  }

  private static Arbitrary<Step> get() {
    return Combinators.combine(Arbitraries.of(KEYS), past()).as(Get::new);
  }

  private static Arbitrary<Integer> past() {
    return Arbitraries.integers().between(-2, 12);
  }

  private static Arbitrary<Step> range() {
    Arbitrary<RangeOptions> options =
        Arbitraries.frequencyOf(
            Tuple.of(12, TxnScripts.rangeOptions()),
            Tuple.of(1, Arbitraries.just(RangeOptions.DEFAULT.withLimit(-1))));
    return Combinators.combine(ranges(), options, past()).as(Range::new);
  }

  private static Arbitrary<Long> time() {
    return Arbitraries.longs().between(0, 50);
  }

  static Arbitrary<KeyRange> ranges() {
    Arbitrary<Bytes> keys = Arbitraries.of(KEYS);
    Arbitrary<KeyRange> between =
        Combinators.combine(keys, keys)
            .as(
                (one, other) ->
                    one.compareTo(other) < 0
                        ? KeyRange.of(one, other)
                        : one.equals(other) ? KeyRange.single(one) : KeyRange.of(other, one));
    return Arbitraries.oneOf(
        keys.map(KeyRange::single),
        keys.map(KeyRange::prefix),
        keys.map(KeyRange::from),
        Arbitraries.just(KeyRange.prefix(Bytes.EMPTY)),
        between);
  }
}
