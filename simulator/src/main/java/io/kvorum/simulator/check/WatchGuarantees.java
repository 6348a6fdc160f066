package io.kvorum.simulator.check;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.simulator.trace.KeyChange;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.WatchSignal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A watch delivers the history of its range, from its first revision on: all of it, once, in order,
 * whole revisions at a time, and never ahead of what was applied. What it says of how far it is, is
 * true. It ends when it is asked to, or behind a compaction that has overtaken it, and says so. At
 * the end of the run it has everything.
 *
 * <p>The history is what the stores hold; what follows from it, like what a key held before, is
 * worked out here.
 */
public final class WatchGuarantees implements Checker {
  /** What has changed, each with what was before, by revision. */
  private final TreeMap<Long, List<KeyChange>> history = new TreeMap<>();

  private final Map<Bytes, KeyValue> live = new HashMap<>();
  private final TreeMap<Integer, Progress> watches = new TreeMap<>();

  /** The newest revision before which anybody has asked that history be given up. */
  private long compacting;

  /** What one watch has said. */
  private static final class Progress {
    private final WatchSignal.Opened asked;

    /** The last revision that it has told all of; −1: it has not begun. */
    private long through = -1;

    private boolean ended;

    Progress(WatchSignal.Opened asked) {
      this.asked = asked;
    }

    boolean wants(KeyChange change) {
      return (change.isDelete() ? asked.deletes() : asked.puts())
          && asked.range().contains(change.now().key());
    }
  }

  @Override
  public String name() {
    return "WatchGuarantees";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Changed changed) {
      changed(changed);
    } else if (event instanceof SimEvent.HistoryTold told) {
      if (told.news() == SimEvent.HistoryNews.COMPACTING) {
        compacting = Math.max(compacting, told.revision());
      }
    } else if (event instanceof SimEvent.Watched watched) {
      heard(watched.watch(), watched.signal());
    }
  }

  /** Works out what was before, and that the store's own account of the key follows from it. */
  private void changed(SimEvent.Changed changed) {
    List<KeyChange> known = new ArrayList<>();
    for (KeyChange change : changed.changes()) {
      KeyValue now = change.now();
      KeyValue before = live.get(now.key());
      KeyValue expected =
          change.isDelete()
              ? new KeyValue(now.key(), Bytes.EMPTY, 0, changed.revision(), 0, 0)
              : new KeyValue(
                  now.key(),
                  now.value(),
                  before == null ? changed.revision() : before.createRevision(),
                  changed.revision(),
                  before == null ? 1 : before.version() + 1,
                  now.lease());
      if (!now.equals(expected) || (change.isDelete() && before == null)) {
        throw new Violation(
            name(),
            "revision %d of %s is %s behind %s"
                .formatted(changed.revision(), changed.node(), change, before));
      }
      known.add(change.with(before == null ? List.of() : List.of(before)));
      if (change.isDelete()) {
        live.remove(now.key());
      } else {
        live.put(now.key(), now);
      }
    }
    history.put(changed.revision(), known);
  }

  private void heard(int number, WatchSignal signal) {
    if (signal instanceof WatchSignal.Opened opened) {
      watches.put(number, new Progress(opened));
      return;
    }
    Progress watch = watches.get(number);
    if (watch == null || watch.ended) {
      throw new Violation(name(), "watch " + number + " is not open, and hears " + signal);
    }
    if (signal instanceof WatchSignal.Began began) {
      began(number, watch, began.revision());
    } else if (signal instanceof WatchSignal.Heard heard) {
      if (heard.changes().isEmpty()) {
        throw new Violation(name(), "watch " + number + " hears of nothing: " + heard);
      }
      advance(number, watch, heard.revision(), heard.changes());
    } else if (signal instanceof WatchSignal.Progressed progressed) {
      advance(number, watch, progressed.revision(), List.of());
    } else if (signal instanceof WatchSignal.Ended ended) {
      watch.ended = true;
      if (!ended.asked() && !mayEnd(watch, ended.compactRevision())) {
        throw new Violation(name(), "watch " + number + " ends, and nobody asked: " + ended.how());
      }
    } else {
      throw new AssertionError("unknown signal " + signal);
    }
  }

  /**
   * Whether a compaction may have overtaken the watch: somebody has asked for one that far, and the
   * watch still needed what was given up.
   *
   * @param compactRevision what the watch says; 0: it did not end because of that
   */
  private boolean mayEnd(Progress watch, long compactRevision) {
    long next = watch.through < 0 ? watch.asked.fromRevision() : watch.through + 1;
    return next < compactRevision && compactRevision <= compacting;
  }

  private void began(int number, Progress watch, long revision) {
    long asked = watch.asked.fromRevision();
    boolean isRight = asked == 0 ? revision <= newest() + 1 : revision == asked;
    if (!isRight || watch.through >= 0) {
      throw new Violation(
          name(), "watch %d, asked for from %d, begins at %d".formatted(number, asked, revision));
    }
    watch.through = revision - 1;
  }

  private void advance(int number, Progress watch, long revision, List<KeyChange> changes) {
    if (watch.through < 0 || revision < watch.through || revision > newest()) {
      throw new Violation(
          name(),
          "watch %d is at %d of %d and goes to %d"
              .formatted(number, watch.through, newest(), revision));
    }
    List<KeyChange> due = due(watch, revision);
    if (!tells(changes, due)) {
      throw new Violation(
          name(),
          "watch %d, at %d, goes to %d with %s; what happened in its range is %s"
              .formatted(number, watch.through, revision, changes, due));
    }
    watch.through = revision;
  }

  /** Whether this is what was due. What a compaction has given up need not be told any more. */
  private boolean tells(List<KeyChange> changes, List<KeyChange> due) {
    if (changes.size() != due.size()) {
      return false;
    }
    for (int i = 0; i < due.size(); i++) {
      KeyChange told = changes.get(i);
      KeyChange expected = due.get(i);
      boolean mayLackPast = expected.now().modRevision() <= compacting;
      boolean isRight =
          told.equals(expected) || (mayLackPast && told.equals(expected.with(List.of())));
      if (!isRight) {
        return false;
      }
    }
    return true;
  }

  private List<KeyChange> due(Progress watch, long end) {
    List<KeyChange> due = new ArrayList<>();
    if (end <= watch.through) {
      return due;
    }
    for (List<KeyChange> revision : history.subMap(watch.through, false, end, true).values()) {
      for (KeyChange change : revision) {
        if (watch.wants(change)) {
          due.add(watch.asked.previous() ? change : change.with(List.of()));
        }
      }
    }
    return due;
  }

  private long newest() {
    return history.isEmpty() ? 1 : history.lastKey();
  }

  @Override
  public void atEnd() {
    watches.forEach(
        (number, watch) -> {
          if (watch.ended) {
            return;
          }
          List<KeyChange> missing = due(watch, newest());
          if (watch.through < 0 || !missing.isEmpty()) {
            throw new Violation(
                name(),
                "watch %d ends the run at %d of %d, without %s"
                    .formatted(number, watch.through, newest(), missing));
          }
        });
  }
}
