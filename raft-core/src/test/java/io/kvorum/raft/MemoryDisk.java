package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A log and a vote file in memory. Writes wait until they are synced; a crash loses those that do.
 * Stricter than it need be about reads: only what was reported durable, and is not about to be
 * truncated, can be read.
 */
final class MemoryDisk implements LogReader {
  private final List<Entry> entries = new ArrayList<>();
  private final ArrayDeque<Ready.Write> pending = new ArrayDeque<>();
  private EntryId compacted = EntryId.ZERO;
  private HardState hardState = HardState.INITIAL;

  /** Puts entries of these terms on the disk, as if they had always been there. */
  void preset(HardState state, long... terms) {
    hardState = state;
    for (long term : terms) {
      long index = compacted.index() + entries.size() + 1;
      entries.add(new Entry(index, term, EntryType.COMMAND, new byte[] {(byte) term}));
    }
  }

  HardState hardState() {
    return hardState;
  }

  void write(Ready.Write write) {
    pending.add(write);
  }

  boolean hasPending() {
    return !pending.isEmpty();
  }

  int pendingCount() {
    return pending.size();
  }

  /** Makes the oldest pending write durable and returns its sequence. */
  long sync() {
    Ready.Write write = pending.removeFirst();
    if (write.hardState() != null) {
      hardState = write.hardState();
    }
    if (!write.entries().isEmpty()) {
      long first = write.entries().get(0).index();
      assert first <= lastIndex() + 1 : "gap before " + first;
      truncate(first - 1);
      entries.addAll(write.entries());
    }
    return write.sequence();
  }

  /** Power loss: the first {@code survivors} pending writes have made it, the rest has not. */
  void crash(int survivors) {
    for (int i = 0; i < survivors && hasPending(); i++) {
      sync();
    }
    pending.clear();
  }

  /** All entries are gone; the log goes on behind this one. */
  void reset(EntryId last) {
    entries.clear();
    compacted = last;
  }

  void compact(long index) {
    EntryId id = new EntryId(index, term(index));
    entries.subList(0, (int) (index - compacted.index())).clear();
    compacted = id;
  }

  private void truncate(long index) {
    entries.subList((int) (index - compacted.index()), entries.size()).clear();
  }

  long lastIndex() {
    return compacted.index() + entries.size();
  }

  List<Entry> durableEntries() {
    return entries;
  }

  Entry entry(long index) {
    return entries.get((int) (index - compacted.index() - 1));
  }

  @Override
  public EntryId compacted() {
    return compacted;
  }

  @Override
  public EntryId last() {
    return entries.isEmpty() ? compacted : entries.get(entries.size() - 1).id();
  }

  @Override
  public long term(long index) {
    checkReadable(index);
    return index == compacted.index() ? compacted.term() : entry(index).term();
  }

  @Override
  public List<Entry> entries(long from, long to, long bytesMax) {
    checkReadable(to - 1);
    List<Entry> result = new ArrayList<>();
    long bytes = 0;
    for (long index = from; index < to; index++) {
      bytes += entry(index).sizeBytes();
      if (bytes > bytesMax && !result.isEmpty()) {
        break;
      }
      result.add(entry(index));
    }
    return result;
  }

  private void checkReadable(long index) {
    for (Ready.Write write : pending) {
      if (!write.entries().isEmpty() && index >= write.entries().get(0).index()) {
        throw new AssertionError("read of " + index + ", which is not durable: " + write);
      }
    }
    if (index < compacted.index() || index > lastIndex()) {
      throw new AssertionError("read of " + index + " outside " + compacted + ".." + last());
    }
  }
}
