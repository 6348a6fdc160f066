package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This node's log: entries on disk, read through {@link LogReader}, and above them those that are
 * still only in memory.
 *
 * <p>Every entry above {@code durableIndex} is in memory. An entry stays there a while longer,
 * until it was named to the state machine, since the leader reads it soon: it was proposed a moment
 * ago.
 *
 * <p>Always: compacted ≤ commitIndex ≤ last, durableIndex ≤ writtenIndex ≤ last. The commit index
 * may be above the durable one: a majority holds these entries, and we need not be part of it.
 */
final class RaftLog {
  /** A write that is not durable yet, and the last entry of it that is still in the log. */
  private static final class InFlight {
    private final long sequence;
    private long lastIndex;

    InFlight(long sequence, long lastIndex) {
      this.sequence = sequence;
      this.lastIndex = lastIndex;
    }
  }

  private final LogReader reader;
  private final Configuration configuration;
  private final long memoryBytesMax;
  private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();

  /** Entries in memory, each at its index modulo the length, which is a power of two. */
  private @Nullable Entry[] ring = new @Nullable Entry[256];

  private long memoryFirst;
  private long memoryBytes;
  private long lastIndex;
  private long lastTerm;
  private long writtenIndex;
  private long durableIndex;
  private long commitIndex;
  private long namedIndex;
  private EntryId compacted;

  /**
   * Opens the log.
   *
   * @param configuration follows the log from here on
   * @param applied what the state machine has durably applied; committed by definition
   * @param memoryBytesMax bytes of durable entries that may stay in memory
   * @throws InvariantViolation if the log does not go on where the state ends
   */
  RaftLog(LogReader reader, Configuration configuration, EntryId applied, long memoryBytesMax) {
    this.reader = reader;
    EntryId last = reader.last();
    compacted = reader.compacted();
    if (last.index() < applied.index()) {
      throw new InvariantViolation(
          "the log ends at "
              + last
              + " but the state machine has applied "
              + applied
              + ": entries that were acknowledged are gone");
    }
    if (compacted.index() > applied.index()) {
      throw new InvariantViolation(
          "the log begins after "
              + compacted
              + " but the state machine has applied only "
              + applied
              + ": the entries between are gone");
    }
    long term = applied.index() == 0 ? 0 : termOnDisk(applied.index());
    if (term != applied.term()) {
      throw new InvariantViolation(
          "the state machine has applied "
              + applied
              + " but the log has term "
              + term
              + " there: they belong to different histories");
    }
    this.configuration = configuration;
    this.memoryBytesMax = memoryBytesMax;
    lastIndex = last.index();
    lastTerm = last.term();
    writtenIndex = lastIndex;
    durableIndex = lastIndex;
    memoryFirst = lastIndex + 1;
    commitIndex = applied.index();
    namedIndex = applied.index();
    scanMemberships();
  }

  /** The entries above the state may bring memberships, committed or not. */
  private void scanMemberships() {
    long next = commitIndex + 1;
    while (next <= lastIndex) {
      List<Entry> page = reader.entries(next, lastIndex + 1, memoryBytesMax);
      page.forEach(configuration::appended);
      next += page.size();
    }
  }

  private long termOnDisk(long index) {
    return index == compacted.index() ? compacted.term() : reader.term(index);
  }

  long lastIndex() {
    return lastIndex;
  }

  EntryId last() {
    return new EntryId(lastIndex, lastTerm);
  }

  long durableIndex() {
    return durableIndex;
  }

  long commitIndex() {
    return commitIndex;
  }

  /** The entry before the first that can still be read. */
  EntryId compacted() {
    return compacted;
  }

  /** From now on nothing at or below {@code id} is read. */
  void compacted(EntryId id) {
    InvariantViolation.check(
        id.index() <= namedIndex
            && (id.index() < compacted.index() || term(id.index()) == id.term()),
        "only applied entries are compacted");
    if (id.index() > compacted.index()) {
      compacted = id;
    }
  }

  /**
   * The log on disk was replaced: it goes on behind {@code snapshot}, and what was above is gone. A
   * write under way was carried out before; its report says nothing about the new log.
   */
  void reset(SnapshotMeta snapshot) {
    EntryId last = snapshot.last();
    InvariantViolation.check(last.index() > commitIndex, "a snapshot brings what is missing");
    Arrays.fill(ring, null);
    memoryBytes = 0;
    lastIndex = last.index();
    lastTerm = last.term();
    memoryFirst = lastIndex + 1;
    writtenIndex = lastIndex;
    durableIndex = lastIndex;
    commitIndex = lastIndex;
    namedIndex = lastIndex;
    compacted = last;
    inFlight.clear();
    configuration.reset(snapshot);
  }

  /** From {@code compacted().index()} to {@code lastIndex()}, both inclusive. */
  long term(long index) {
    if (index == lastIndex) {
      return lastTerm;
    }
    if (index == 0) {
      return 0;
    }
    return index >= memoryFirst ? inMemory(index).term() : termOnDisk(index);
  }

  EntryId id(long index) {
    return new EntryId(index, term(index));
  }

  /**
   * Whether this log equals up to {@code id} the one that {@code id} was read from, given that the
   * other holds all that is committed here.
   */
  boolean contains(EntryId id) {
    if (id.index() > lastIndex) {
      return false;
    }
    if (id.index() > commitIndex) {
      return term(id.index()) == id.term();
    }
    // What is committed here, every later leader has (§5.4.3). It may be compacted already.
    InvariantViolation.check(
        id.index() < compacted().index() || term(id.index()) == id.term(),
        "a leader holds every committed entry (§5.4.3)");
    return true;
  }

  /**
   * The highest entry within {@code [from, to]} of term {@code term} or an earlier one, or else
   * that at {@code from}. Terms never fall along a log, so halving finds it.
   */
  EntryId lastUpToTerm(long from, long to, long term) {
    long low = from;
    long high = Math.min(to, lastIndex);
    while (low < high) {
      long middle = low + (high - low + 1) / 2;
      if (term(middle) <= term) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return id(low);
  }

  /** Adds the entry after the last. */
  void append(Entry entry) {
    InvariantViolation.check(entry.index() == lastIndex + 1, "the log has no gap");
    InvariantViolation.check(entry.term() >= lastTerm, "terms never fall along a log");
    if (lastIndex + 1 - memoryFirst == ring.length) {
      grow();
    }
    ring[slot(entry.index())] = entry;
    memoryBytes += entry.sizeBytes();
    lastIndex = entry.index();
    lastTerm = entry.term();
    configuration.appended(entry);
  }

  /**
   * Takes over a leader's entries, whose predecessor this log contains (figure 2, AppendEntries,
   * steps 3 and 4). Nothing is removed unless an entry conflicts: the message may be an old one.
   */
  void accept(List<Entry> entries) {
    int count = entries.size();
    int known = 0;
    while (known < count && holds(entries.get(known))) {
      known++;
    }
    if (known == count) {
      return;
    }
    truncate(entries.get(known).index() - 1);
    for (int i = known; i < count; i++) {
      append(entries.get(i));
    }
  }

  private boolean holds(Entry entry) {
    if (entry.index() < commitIndex) {
      return true;
    }
    return entry.index() <= lastIndex && term(entry.index()) == entry.term();
  }

  /**
   * Forgets what is above {@code index}. A write under way may still make the old content durable;
   * from now on its report says nothing about what comes in its place.
   */
  private void truncate(long index) {
    if (index >= lastIndex) {
      return;
    }
    InvariantViolation.check(index >= commitIndex, "a committed entry is never removed");
    long term = term(index);
    for (long i = Math.max(index + 1, memoryFirst); i <= lastIndex; i++) {
      memoryBytes -= inMemory(i).sizeBytes();
      ring[slot(i)] = null;
    }
    lastIndex = index;
    lastTerm = term;
    memoryFirst = Math.min(memoryFirst, index + 1);
    writtenIndex = Math.min(writtenIndex, index);
    durableIndex = Math.min(durableIndex, index);
    for (InFlight write : inFlight) {
      write.lastIndex = Math.min(write.lastIndex, index);
    }
    configuration.truncated(index);
  }

  boolean hasUnwritten() {
    return writtenIndex < lastIndex;
  }

  /** The entries that no write has carried yet, as part of the write with this sequence. */
  List<Entry> takeUnwritten(long sequence) {
    if (!hasUnwritten()) {
      return List.of();
    }
    List<Entry> entries = memorySlice(writtenIndex + 1, lastIndex + 1);
    writtenIndex = lastIndex;
    inFlight.add(new InFlight(sequence, lastIndex));
    return entries;
  }

  /** All writes up to this sequence are durable. */
  void durable(long sequence) {
    while (!inFlight.isEmpty() && inFlight.getFirst().sequence <= sequence) {
      durableIndex = Math.max(durableIndex, inFlight.removeFirst().lastIndex);
    }
    releaseMemory();
  }

  /** Never moves back; at most the end of the log. */
  void commit(long index) {
    InvariantViolation.check(index <= lastIndex, "only what the log holds is committed");
    commitIndex = Math.max(commitIndex, index);
    configuration.committed(commitIndex);
  }

  /** The state machine was given the entries up to here. */
  void named(long index) {
    namedIndex = index;
    releaseMemory();
  }

  /**
   * Consecutive entries from {@code from} on: at least one, further ones while they are below
   * {@code to} and their bytes within {@code bytesMax}. May stop earlier, where memory begins.
   *
   * @param to exclusive, at most {@code lastIndex() + 1}
   */
  List<Entry> entries(long from, long to, long bytesMax) {
    if (from < memoryFirst) {
      return reader.entries(from, Math.min(to, memoryFirst), bytesMax);
    }
    long end = from + 1;
    long bytes = inMemory(from).sizeBytes();
    while (end < to) {
      bytes += inMemory(end).sizeBytes();
      if (bytes > bytesMax) {
        break;
      }
      end++;
    }
    return memorySlice(from, end);
  }

  private List<Entry> memorySlice(long from, long to) {
    Entry[] slice = new Entry[(int) (to - from)];
    for (int i = 0; i < slice.length; i++) {
      slice[i] = inMemory(from + i);
    }
    return Collections.unmodifiableList(Arrays.asList(slice));
  }

  private void releaseMemory() {
    while (memoryFirst <= durableIndex
        && (memoryFirst <= namedIndex || memoryBytes > memoryBytesMax)) {
      memoryBytes -= inMemory(memoryFirst).sizeBytes();
      ring[slot(memoryFirst)] = null;
      memoryFirst++;
    }
  }

  private Entry inMemory(long index) {
    Entry entry = ring[slot(index)];
    if (entry == null || entry.index() != index) {
      throw new InvariantViolation("entry " + index + " should be in memory but is not");
    }
    return entry;
  }

  private void grow() {
    @Nullable Entry[] old = ring;
    ring = new @Nullable Entry[old.length * 2];
    for (@Nullable Entry entry : old) {
      if (entry != null) {
        ring[slot(entry.index())] = entry;
      }
    }
  }

  private int slot(long index) {
    return (int) index & (ring.length - 1);
  }
}
