package io.kvorum.simulator.check;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What each node's disk holds of its log, as far as events tell.
 *
 * <p>A crash leaves a doubt: a write that was under way, and that no event has told of, may have
 * cut or replaced what the node did not know to be committed. Such entries are still named by
 * {@link #at}, but are not {@link #isCertain certain} until they are stored again.
 *
 * <p>The checkers of one run share it: each tells it of every event, and the first one counts.
 */
final class DurableLogs {
  /** One node's disk. */
  private static final class Disk {
    /** Each entry at its index less one; null where nobody told. */
    private final List<@Nullable EntryDigest> entries = new ArrayList<>();

    /** Up to here the node knew its own entries to be committed. */
    private long committedIndex;

    private long certainIndex = Long.MAX_VALUE;
    private boolean freshlyStarted;

    /** What it held when it was last damaged. */
    private List<EntryDigest> beforeDamage = List.of();
  }

  private final Map<NodeId, Disk> disks = new HashMap<>();

  /** The disk of the node asked for last: many questions in a row are about one node. */
  private @Nullable NodeId lastNode;

  private @Nullable Disk lastDisk;

  private @Nullable SimEvent lastEvent;

  /** What was applied by anybody, each entry at its index less one. */
  private final List<EntryDigest> applied = new ArrayList<>();

  void on(SimEvent event) {
    if (event == lastEvent) {
      return;
    }
    lastEvent = event;
    if (event instanceof SimEvent.Stored stored) {
      stored(disk(stored.node()), stored.entries());
    } else if (event instanceof SimEvent.LogMoved moved) {
      moved(disk(moved.node()), moved);
    } else if (event instanceof SimEvent.Started started) {
      Disk disk = disk(started.node());
      if (started.life() > 0) {
        disk.certainIndex = Math.min(disk.certainIndex, disk.committedIndex);
        disk.freshlyStarted = true;
      }
    } else if (event instanceof SimEvent.Applied applied) {
      applied(applied.entry());
    } else if (event instanceof SimEvent.SnapshotTold told) {
      if (told.news() == SnapshotNews.LOG_CUT || told.news() == SnapshotNews.LOG_RESET) {
        begins(disk(told.node()), told.last().index(), told.news() == SnapshotNews.LOG_RESET);
      }
    } else if (event instanceof SimEvent.LogLacks told && told.lacks()) {
      damaged(disk(told.node()));
    } else if (event instanceof SimEvent.FaultStruck struck) {
      NodeId node = Damage.toLog(struck.fault());
      if (node != null) {
        damaged(disk(node));
      }
    }
  }

  private static void stored(Disk disk, List<EntryDigest> entries) {
    for (EntryDigest entry : entries) {
      int at = Math.toIntExact(entry.index() - 1);
      List<@Nullable EntryDigest> log = disk.entries;
      if (at < log.size()) {
        log.subList(at, log.size()).clear();
      }
      while (log.size() < at) {
        log.add(null);
      }
      log.add(entry);
      if (disk.certainIndex != Long.MAX_VALUE && at <= disk.certainIndex) {
        disk.certainIndex = entry.index();
      }
    }
  }

  private void applied(EntryDigest entry) {
    if (entry.index() == applied.size() + 1) {
      applied.add(entry);
    }
  }

  /**
   * A snapshot stands for all entries up to there. They are what some node has applied before the
   * snapshot could be taken; that it holds what they have made of the state, others check.
   */
  private void begins(Disk disk, long index, boolean isReset) {
    List<@Nullable EntryDigest> log = disk.entries;
    if (isReset && log.size() > index) {
      log.subList((int) index, log.size()).clear();
    }
    for (int at = 0; at < index; at++) {
      EntryDigest stoodFor = at < applied.size() ? applied.get(at) : null;
      if (at == log.size()) {
        log.add(stoodFor);
      } else if (isReset || log.get(at) == null) {
        log.set(at, stoodFor);
      }
    }
    if (disk.certainIndex < index || (isReset && disk.certainIndex != Long.MAX_VALUE)) {
      disk.certainIndex = index;
    }
    disk.committedIndex = Math.max(disk.committedIndex, index);
  }

  private static void damaged(Disk disk) {
    List<EntryDigest> held =
        new ArrayList<>(disk.entries.stream().takeWhile(Objects::nonNull).toList());
    // Of what an earlier damage took, not all may be back.
    List<EntryDigest> before = disk.beforeDamage;
    held.addAll(before.subList(Math.min(held.size(), before.size()), before.size()));
    disk.beforeDamage = List.copyOf(held);
    disk.committedIndex = 0;
    disk.certainIndex = 0;
  }

  private static void moved(Disk disk, SimEvent.LogMoved moved) {
    disk.committedIndex =
        Math.max(disk.committedIndex, Math.min(moved.commitIndex(), moved.durableIndex()));
    if (disk.freshlyStarted) {
      // The log as it was read from the disk: what it does not hold is gone.
      disk.freshlyStarted = false;
      int last = Math.toIntExact(moved.last().index());
      if (last < disk.entries.size()) {
        disk.entries.subList(last, disk.entries.size()).clear();
      }
    }
  }

  /** What the node's disk holds at the index, or null if it holds or is known to hold nothing. */
  @Nullable EntryDigest at(NodeId node, long index) {
    Disk disk = disk(node);
    return index < 1 || index > disk.entries.size() ? null : disk.entries.get((int) (index - 1));
  }

  /** Whether the node's disk holds this entry, or did until it was damaged. */
  boolean hasStored(NodeId node, EntryDigest entry) {
    List<EntryDigest> before = disk(node).beforeDamage;
    int at = (int) (entry.index() - 1);
    return entry.equals(at(node, entry.index()))
        || (at < before.size() && entry.equals(before.get(at)));
  }

  /**
   * The first entry that was applied somewhere and that the node's disk held before it was last
   * damaged, and does not hold now; null if there is none.
   */
  @Nullable EntryDigest firstLacking(NodeId node) {
    List<EntryDigest> before = disk(node).beforeDamage;
    for (int at = 0; at < Math.min(before.size(), applied.size()); at++) {
      EntryDigest held = before.get(at);
      if (held.equals(applied.get(at)) && !held.equals(at(node, at + 1))) {
        return held;
      }
    }
    return null;
  }

  /** Whether no crash has left a doubt about that entry. */
  boolean isCertain(NodeId node, long index) {
    return index <= disk(node).certainIndex;
  }

  /** The last entry that the node's disk is known to hold; 0: none. */
  long lastIndex(NodeId node) {
    return disk(node).entries.size();
  }

  private Disk disk(NodeId node) {
    Disk last = lastDisk;
    if (last != null && node.equals(lastNode)) {
      return last;
    }
    Disk disk = disks.computeIfAbsent(node, unknown -> new Disk());
    lastNode = node;
    lastDisk = disk;
    return disk;
  }
}
