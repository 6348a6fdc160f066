package io.kvorum.cli;

import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeOptions.SortBy;
import io.kvorum.api.RevisionFilter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which keys of a range are read, in which order, and what of them; named as in etcdctl. */
final class SelectionOptions {
  /** What to sort by, as etcdctl calls it. */
  enum SortTarget {
    KEY(SortBy.KEY),
    VERSION(SortBy.VERSION),
    CREATE(SortBy.CREATE_REVISION),
    MODIFY(SortBy.MOD_REVISION),
    VALUE(SortBy.VALUE);

    private final SortBy by;

    SortTarget(SortBy by) {
      this.by = by;
    }
  }

  /** The direction, as etcdctl calls it. */
  enum SortOrder {
    ASCEND,
    DESCEND
  }

  @Option(names = "--limit", paramLabel = "N", description = "Print at most N keys; 0: all.")
  private long limit;

  @Option(
      names = "--rev",
      paramLabel = "REVISION",
      description = "As of this revision of the store, instead of now.")
  private long revision;

  @Option(
      names = "--sort-by",
      paramLabel = "WHAT",
      description = "${COMPLETION-CANDIDATES}; what is equal comes in order of key.")
  private SortTarget sortBy = SortTarget.KEY;

  @Option(names = "--order", paramLabel = "ORDER", description = "${COMPLETION-CANDIDATES}.")
  private @Nullable SortOrder order;

  @Option(names = "--reverse", description = "The same as --order DESCEND.")
  private boolean reverse;

  @Option(names = "--keys-only", description = "Without the values.")
  private boolean keysOnly;

  @Option(
      names = {"--count-only", "--count"},
      description = "Only how many keys there are.")
  private boolean countOnly;

  @Option(
      names = "--min-mod-rev",
      paramLabel = "REVISION",
      description = "Only keys that were put at this revision or later.")
  private long minModRevision;

  @Option(
      names = "--max-mod-rev",
      paramLabel = "REVISION",
      description = "Only keys that were not put later than at this revision.")
  private long maxModRevision;

  @Option(
      names = "--min-create-rev",
      paramLabel = "REVISION",
      description = "Only keys that exist since this revision or a later one.")
  private long minCreateRevision;

  @Option(
      names = "--max-create-rev",
      paramLabel = "REVISION",
      description = "Only keys that exist since this revision or an earlier one.")
  private long maxCreateRevision;

  /** Wrong usage that only a look at several options shows. */
  void check() {
    if (reverse && order == SortOrder.ASCEND) {
      throw CommandFailure.usage("--reverse and --order ASCEND exclude each other");
    }
    if (keysOnly && countOnly) {
      throw CommandFailure.usage("--keys-only and --count-only exclude each other");
    }
  }

  /** How to ask for that. */
  RangeOptions rangeOptions() {
    boolean descending = reverse || order == SortOrder.DESCEND;
    RangeOptions how =
        RangeOptions.DEFAULT
            .withLimit(limit)
            .withRevision(revision)
            .withOrder(new RangeOptions.Order(sortBy.by, descending))
            .withFilter(
                new RevisionFilter(
                    minModRevision, maxModRevision, minCreateRevision, maxCreateRevision));
    if (countOnly) {
      return how.withCountOnly();
    }
    return keysOnly ? how.withKeysOnly() : how;
  }

  /** Whether something is asked for that only a range has, not a single key. */
  boolean selects() {
    RangeOptions how = rangeOptions();
    return !how.equals(RangeOptions.DEFAULT.withRevision(revision));
  }

  /** The state to read; 0: now. */
  long revision() {
    return revision;
  }
}
