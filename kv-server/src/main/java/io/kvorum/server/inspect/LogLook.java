package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.log.LogDamage;
import io.kvorum.log.LogInspection;
import io.kvorum.node.DirectoryReport;
import io.kvorum.node.Rebuild;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.CommandText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A log on disk: what is whole of it from its first entry on, and all that is damaged. */
public final class LogLook implements AutoCloseable {
  private static final long PAGE_BYTES_MAX = 1 << 20;

  private final LogInspection log;

  private LogLook(LogInspection log) {
    this.log = log;
  }

  /**
   * Reads all of a log.
   *
   * @param disk a data directory, or the directory of a log
   * @return null if there is no log
   */
  public static @Nullable LogLook at(Disk disk, long knownDurableIndex) {
    LogInspection log = DirectoryReport.log(disk, knownDurableIndex);
    if (log == null && disk.list().stream().anyMatch(name -> name.endsWith(".log"))) {
      log = LogInspection.of(disk, knownDurableIndex);
    }
    return log == null ? null : new LogLook(log);
  }

  /** The entry before the first one. */
  public EntryId compacted() {
    return log.compacted();
  }

  /** The last entry that is whole with all before it. */
  public EntryId last() {
    return log.last();
  }

  /** So far the log once reached, by what is left behind the damage. */
  public EntryId highest() {
    return log.highest();
  }

  public int segments() {
    return log.segments().size();
  }

  public boolean isDamaged() {
    return !log.damages().isEmpty();
  }

  /** File, offset and entry of each damage, in words. */
  public List<String> damages() {
    return log.damages().stream().map(LogDamage::toString).toList();
  }

  /** What the next start will finish; null: nothing. */
  public @Nullable String underWay() {
    return log.underWay();
  }

  /**
   * Goes through the entries that are whole.
   *
   * @param from the first one that is wanted; those that are gone are passed over
   * @param count how many at most
   */
  public void entries(long from, long count, Consumer<Entry> each) {
    long next = Math.max(from, compacted().index() + 1);
    long stop = count > last().index() - next ? last().index() + 1 : next + count;
    while (next < stop) {
      List<Entry> page = log.entries(next, stop, PAGE_BYTES_MAX);
      page.forEach(each);
      next += page.size();
    }
  }

  /** The first entry of each term, in order; of the oldest one the first that is there. */
  List<EntryId> terms() {
    List<EntryId> firsts = new ArrayList<>();
    long next = compacted().index() + 1;
    while (next <= last().index()) {
      long term = term(next);
      firsts.add(new EntryId(next, term));
      next = behind(next, term);
    }
    return firsts;
  }

  /** Terms never fall along a log: so the first entry of a later one is searched by halves. */
  private long behind(long index, long term) {
    long within = index;
    long behind = last().index() + 1;
    while (behind - within > 1) {
      long middle = within + (behind - within) / 2;
      if (term(middle) > term) {
        behind = middle;
      } else {
        within = middle;
      }
    }
    return behind;
  }

  private long term(long index) {
    return log.entries(index, index + 1, 1).get(0).term();
  }

  /** From what a state is built anew with this log; null: that cannot be done. */
  @Nullable Rebuild rebuild(List<EntryId> soundSnapshots) {
    return Rebuild.of(log, soundSnapshots);
  }

  /** Why a sound snapshot that ends so is not that from which it is built; null: it is. */
  @Nullable String whyNot(EntryId last, @Nullable Rebuild chosen) {
    return Rebuild.whyNot(log, last, chosen);
  }

  /** The newest membership behind an entry; null if there is none. */
  @Nullable Membership newestMembership(long behind) {
    AtomicReference<@Nullable Membership> newest = new AtomicReference<>();
    entries(
        behind + 1,
        Long.MAX_VALUE,
        entry -> {
          if (entry.type() == EntryType.MEMBERSHIP) {
            newest.set(Membership.decode(entry.payload()));
          }
        });
    return newest.get();
  }

  /** An entry in one line: index, term, type, bytes, and what it says. */
  public static String text(Entry entry) {
    return "%d %d %s %d %s"
        .formatted(
            entry.index(),
            entry.term(),
            entry.type().name().toLowerCase(Locale.ROOT),
            entry.payload().length,
            CommandText.of(entry));
  }

  @Override
  public void close() {
    log.close();
  }
}
