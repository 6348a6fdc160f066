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

  /**
   * Why a snapshot that is whole is not what a state is built anew from; null: it is.
   *
   * @param last the last entry in it
   * @param chosen what is done; null: it cannot be done
   */
  public static @Nullable String whyNot(LogInspection log, EntryId last, @Nullable Rebuild chosen) {
    if (!log.damages().isEmpty()) {
      return "the log that has to lead on from it is damaged";
    }
    if (last.index() < log.compacted().index()) {
      return "it ends before the log begins, which is after " + log.compacted();
    }
    if (last.index() > log.last().index()) {
      return "it ends behind the log, which ends with " + log.last();
    }
    if (!holds(log, last)) {
      return "the log holds another entry " + last.index();
    }
    if (chosen == null || chosen.base().equals(last)) {
      return null;
    }
    return chosen.base().index() == 0
        ? "the log holds every entry from the first one on"
        : "there is a newer one";
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
