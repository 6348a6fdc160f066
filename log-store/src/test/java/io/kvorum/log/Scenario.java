package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** A log on a simulated disk beside a model of it, and random operations on both. */
final class Scenario {
  final SimulatedDisk disk;
  private final LogConfig config;
  private LogStore log;

  /** What the log must be, and what it may be instead while an operation is under way. */
  private Model now = new Model();

  private Model after = now;

  /** Entries by index; those up to durable may never be missing. */
  private static final class Model {
    final TreeMap<Long, Entry> entries = new TreeMap<>();
    EntryId before = EntryId.ZERO;
    long durable;
    long prefixAsked;

    Model copy() {
      Model copy = new Model();
      copy.entries.putAll(entries);
      copy.before = before;
      copy.durable = durable;
      copy.prefixAsked = prefixAsked;
      return copy;
    }

    EntryId last() {
      return entries.isEmpty() ? before : entries.lastEntry().getValue().id();
    }

    @Override
    public String toString() {
      return "(" + before + ", " + last() + "] durable " + durable + " prefix " + prefixAsked;
    }
  }

  /** One operation on the log; the model follows. */
  private interface Operation {
    void onModel(Model model);

    void onLog(LogStore log);
  }

  Scenario(long seed, LogConfig config) {
    disk = SimulatedDisk.create(new SplittableRandom(seed));
    this.config = config;
  }

  void open() {
    log = TestLog.open(disk, config, now.durable);
  }

  LogStore log() {
    return log;
  }

  void append(int back, int count, int bytes) {
    long from = Math.max(now.last().index() + 1 - back, firstAppendable());
    long term = now.last().term() + (back > 0 || now.last().term() == 0 ? 1 : 0);
    List<Entry> batch = TestLog.entries(from, count, term, bytes);
    perform(
        new Operation() {
          @Override
          public void onModel(Model model) {
            if (from <= model.last().index()) {
              model.durable = from - 1;
              model.entries.tailMap(from).clear();
            }
            batch.forEach(entry -> model.entries.put(entry.index(), entry));
          }

          @Override
          public void onLog(LogStore log) {
            log.append(batch);
          }
        });
  }

  /** Below what was compacted nothing can be appended. */
  private long firstAppendable() {
    return log.compacted().index() + 1;
  }

  void sync() {
    perform(
        new Operation() {
          @Override
          public void onModel(Model model) {
            model.durable = model.last().index();
          }

          @Override
          public void onLog(LogStore log) {
            log.sync();
          }
        });
  }

  /** Notes how far the log is durable; what the log is stays as it was. */
  void note() {
    perform(
        new Operation() {
          @Override
          public void onModel(Model model) {
            // No entry comes or goes.
          }

          @Override
          public void onLog(LogStore log) {
            log.noteDurable(unheard -> {});
          }
        });
  }

  void truncatePrefix(long index) {
    perform(
        new Operation() {
          @Override
          public void onModel(Model model) {
            model.prefixAsked = Math.max(model.prefixAsked, index);
          }

          @Override
          public void onLog(LogStore log) {
            log.truncatePrefix(index);
          }
        });
  }

  void reset(long ahead) {
    EntryId snapshot = new EntryId(now.last().index() + ahead, now.last().term() + 1);
    perform(
        new Operation() {
          @Override
          public void onModel(Model model) {
            model.entries.clear();
            model.before = snapshot;
            model.durable = snapshot.index();
            model.prefixAsked = snapshot.index();
          }

          @Override
          public void onLog(LogStore log) {
            log.reset(snapshot);
          }
        });
  }

  void reopen() {
    perform(
        new Operation() {
          @Override
          public void onModel(Model model) {
            model.durable = model.last().index();
          }

          @Override
          public void onLog(LogStore log) {
            log.close();
          }
        });
    open();
    check();
  }

  private void perform(Operation operation) {
    after = now.copy();
    operation.onModel(after);
    operation.onLog(log);
    now = after;
  }

  /** After a crash and a new start: the model becomes what was found, if that is allowed. */
  void recover() {
    assertThat(log == null || LogStore.exists(disk)).isTrue();
    log = TestLog.open(disk, config, Math.min(now.durable, after.durable));
    Model found = new Model();
    found.before = log.compacted();
    TestLog.readAll(log).forEach(entry -> found.entries.put(entry.index(), entry));
    long floor = Math.min(now.durable, after.durable);
    assertThat(isAllowed(found, now, floor) || isAllowed(found, after, after.durable))
        .as("found %s, allowed %s or %s", found, now, after)
        .isTrue();
    assertThat(log.durableIndex()).isEqualTo(log.last().index());
    found.durable = found.last().index();
    found.prefixAsked = Math.max(now.prefixAsked, after.prefixAsked);
    now = found;
    after = found;
  }

  /** A prefix of what was written, not shorter than what was durable, behind what was compacted. */
  private static boolean isAllowed(Model found, Model model, long floor) {
    boolean ends = found.last().index() >= floor && found.last().index() <= model.last().index();
    boolean starts =
        model.before.index() <= found.before.index()
            && found.before.index() <= Math.max(model.prefixAsked, model.before.index());
    boolean same =
        found.entries.values().stream()
            .allMatch(entry -> isSame(entry, model.entries.get(entry.index())));
    return ends && starts && same;
  }

  private static boolean isSame(Entry found, Entry expected) {
    return expected != null
        && found.id().equals(expected.id())
        && Arrays.equals(found.payload(), expected.payload());
  }

  /** The log answers as the model says. */
  void check() {
    assertThat(log.last()).isEqualTo(now.last());
    assertThat(log.compacted().index()).isBetween(now.before.index(), now.prefixAsked);
    long from = log.compacted().index() + 1;
    List<Entry> expected = new ArrayList<>(now.entries.tailMap(from).values());
    TestLog.assertSame(TestLog.readAll(log), expected);
    for (Entry entry : expected) {
      assertThat(log.term(entry.index())).isEqualTo(entry.term());
    }
  }

  /** One random operation. */
  void step(SplittableRandom random) {
    switch (random.nextInt(12)) {
      case 0 -> append(1 + random.nextInt(40), 1 + random.nextInt(3), random.nextInt(900));
      case 1 -> append(1 + random.nextInt(3), 1 + random.nextInt(9), random.nextInt(300));
      case 2, 3, 4 -> sync();
      case 5 -> truncatePrefix(Math.max(0, now.last().index() - random.nextInt(60)));
      case 6 -> {
        if (random.nextInt(4) == 0) {
          reset(random.nextInt(50));
        } else {
          reopen();
        }
      }
      case 7 -> note();
      default -> append(0, 1 + random.nextInt(12), random.nextInt(1_200));
    }
  }
}
