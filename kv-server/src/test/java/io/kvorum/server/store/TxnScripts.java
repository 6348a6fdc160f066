package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.Txn;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random transactions, nested up to three deep. */
final class TxnScripts {
  private static final int DEPTH = 3;

  private TxnScripts() {}

  /** Transactions that may write; many of them break a rule. */
  static Arbitrary<Txn> txns() {
    return txns(DEPTH, false);
  }

  /** Transactions that only read. */
  static Arbitrary<Txn> reads() {
    return txns(DEPTH, true);
  }

  private static Arbitrary<Txn> txns(int depth, boolean onlyReads) {
    Arbitrary<List<Op>> branches = ops(depth, onlyReads).list().ofMaxSize(depth == DEPTH ? 4 : 2);
    return Combinators.combine(compares().list().ofMaxSize(2), branches, branches).as(Txn::new);
  }

  private static Arbitrary<Op> ops(int depth, boolean onlyReads) {
    if (depth == 0) {
      return onlyReads ? reading() : Arbitraries.oneOf(writing(), reading());
    }
    Arbitrary<Op> nested = Arbitraries.lazy(() -> txns(depth - 1, onlyReads).map(Op::txn));
    return onlyReads
        ? Arbitraries.frequencyOf(Tuple.of(4, reading()), Tuple.of(1, nested))
        : Arbitraries.frequencyOf(
            Tuple.of(4, writing()), Tuple.of(3, reading()), Tuple.of(2, nested));
  }

  private static Arbitrary<Op> writing() {
    Arbitrary<Bytes> keys = Arbitraries.of(Script.KEYS);
    Arbitrary<Op> put =
        Combinators.combine(keys, values(), putOptions())
            .as((key, value, how) -> Op.put(key, how.keepValue() ? Bytes.EMPTY : value, how));
    Arbitrary<Op> delete =
        Combinators.combine(Script.ranges(), Arbitraries.of(false, true))
            .as((range, previous) -> Op.deleteRange(range, new DeleteOptions(previous)));
    Arbitrary<Op> add =
        Combinators.combine(keys, Arbitraries.of(1L, -1L, 7L, Long.MAX_VALUE, Long.MIN_VALUE))
            .as(Op::add);
    Arbitrary<Op> append = Combinators.combine(keys, values()).as(Op::append);
    return Arbitraries.frequencyOf(
        Tuple.of(4, put), Tuple.of(1, delete), Tuple.of(2, add), Tuple.of(1, append));
  }

  private static Arbitrary<PutOptions> putOptions() {
    return Arbitraries.frequency(
        Tuple.of(6, PutOptions.DEFAULT),
        Tuple.of(3, PutOptions.DEFAULT.withPrevious()),
        Tuple.of(2, PutOptions.DEFAULT.withKeepValue()),
        Tuple.of(1, PutOptions.DEFAULT.withKeepLease().withPrevious()),
        Tuple.of(1, PutOptions.DEFAULT.withLease(7)));
  }

  /** 8 bytes are a counter; the first one is at the end of what it can count. */
  private static Arbitrary<Bytes> values() {
    Bytes atTheEnd = Bytes.copyOf(new byte[] {0x7f, -1, -1, -1, -1, -1, -1, -1});
    return Arbitraries.oneOf(
        Arbitraries.just(atTheEnd),
        Combinators.combine(
                Arbitraries.of(0, 1, 8, 8, 100, 1024, 1025, 5000), Arbitraries.integers())
            .as((size, index) -> Script.value(size, index)));
  }

  private static Arbitrary<Op> reading() {
    return Combinators.combine(Script.ranges(), rangeOptions(), Arbitraries.of(0L, 0L, 0L, 2L, 9L))
        .as((range, how, revision) -> Op.range(range, how.withRevision(revision)));
  }

  /** All that can be asked for, but for the revision and a limit below 0. */
  static Arbitrary<RangeOptions> rangeOptions() {
    Arbitrary<RangeOptions.Order> orders =
        Combinators.combine(
                Arbitraries.frequency(
                    Tuple.of(5, RangeOptions.SortBy.KEY),
                    Tuple.of(1, RangeOptions.SortBy.VERSION),
                    Tuple.of(1, RangeOptions.SortBy.CREATE_REVISION),
                    Tuple.of(1, RangeOptions.SortBy.MOD_REVISION),
                    Tuple.of(1, RangeOptions.SortBy.VALUE)),
                Arbitraries.of(false, true))
            .as(RangeOptions.Order::new);
    Arbitrary<RangeOptions.Content> contents =
        Arbitraries.frequency(
            Tuple.of(5, RangeOptions.Content.ALL),
            Tuple.of(1, new RangeOptions.Content(true, false, true)),
            Tuple.of(1, new RangeOptions.Content(true, true, false)),
            Tuple.of(1, new RangeOptions.Content(true, false, false)),
            Tuple.of(1, new RangeOptions.Content(false, false, true)));
    Arbitrary<Long> bounds = Arbitraries.of(0L, 0L, 0L, 3L, 6L, 12L);
    Arbitrary<RevisionFilter> filters =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(RevisionFilter.NONE)),
            Tuple.of(
                1, Combinators.combine(bounds, bounds, bounds, bounds).as(RevisionFilter::new)));
    return Combinators.combine(Arbitraries.of(0L, 0L, 1L, 2L, 4L, 13L), orders, contents, filters)
        .as(
            (limit, order, content, filter) ->
                RangeOptions.DEFAULT
                    .withLimit(limit)
                    .withOrder(order)
                    .withContent(content)
                    .withFilter(filter));
  }

  private static Arbitrary<Compare> compares() {
    Arbitrary<KeyRange> ranges =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.of(Script.KEYS).map(KeyRange::single)),
            Tuple.of(1, Script.ranges()));
    return Combinators.combine(
            ranges,
            Arbitraries.of(Compare.Target.values()),
            Arbitraries.of(Compare.Relation.values()),
            Arbitraries.of(0L, 1L, 2L, 5L),
            values())
        .as(
            (range, target, relation, number, value) ->
                target == Compare.Target.VALUE
                    ? new Compare(range, target, relation, 0, value)
                    : new Compare(range, target, relation, number, Bytes.EMPTY));
  }
}
