package io.kvorum.node;

import io.kvorum.log.LogInspection;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * From what a node builds its state anew, by itself, when that is lost or damaged (docs/adr/0015).
 *
 * @param base the last entry in the snapshot that takes its place; 0: none does, since the log
 *     holds every entry from the first one on
 */
public record Rebuild(EntryId base) {
  /**
   * What a start would do with this log and these snapshots; looks only.
   *
   * @param sound the last entries in the snapshots that are whole
   * @return null if they do not suffice
   */
  public static @Nullable Rebuild of(LogInspection log, Collection<EntryId> sound) {
    if (!log.damages().isEmpty()) {
      return null;
    }
    if (log.compacted().index() == 0) {
      return new Rebuild(EntryId.ZERO);
    }
    return sound.stream()
        .filter(last -> holds(log, last))
        .max(Comparator.naturalOrder())
        .map(Rebuild::new)
        .orElse(null);
  }

  /** Whether a log leads on from this entry. */
  static boolean holds(LogInspection log, EntryId id) {
    if (id.equals(log.compacted())) {
      return true;
    }
    boolean isThere = id.index() > log.compacted().index() && id.index() <= log.last().index();
    return isThere && idAt(log, id.index()).equals(id);
  }

  private static EntryId idAt(LogInspection log, long index) {
    Entry entry = log.entries(index, index + 1, 0).get(0);
    return entry.id();
  }

  /** In words: to be put behind "from". */
  @Override
  public String toString() {
    String log = "the log from entry " + (base.index() + 1) + " on";
    return base.index() == 0 ? log : "snapshot " + base + " and " + log;
  }
}
