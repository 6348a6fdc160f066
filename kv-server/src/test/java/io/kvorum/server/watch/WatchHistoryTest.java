package io.kvorum.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import io.kvorum.protocol.Error;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Whatever the order of writes, watches, slow readers, compactions, installs and lanes: each watch
 * gets what a filter of the whole history gives, or is told that it cannot (FAULTS F112, F113,
 * F115, F121).
 */
class WatchHistoryTest {
  private static final List<String> KEYS = List.of("a", "a/1", "a/2", "b", "b/1", "c");

  @Property(tries = 300)
  void everyWatchGetsTheFilteredHistory(@ForAll long seed) {
    new Run(seed).run();
  }

  /** One random course of events. */
  private static final class Run {
    private final Random random;
    private final WatchBench bench;
    private final List<WatchBench.Connection> connections = new ArrayList<>();
    private final List<WatchBench.Received> watches = new ArrayList<>();

    Run(long seed) {
      random = new Random(seed);
      WatchLimits limits =
          new WatchLimits(
              random.nextInt(30),
              random.nextInt(20_000),
              1 + random.nextInt(12),
              1 + random.nextInt(2_000),
              60 + random.nextInt(600),
              1_000);
      bench = new WatchBench(limits);
    }

    void run() {
      connections.add(bench.connect());
      for (int step = 0; step < 400; step++) {
        step(random.nextInt(20));
      }
      connections.forEach(connection -> connection.writable(true));
      finish();
      watches.forEach(this::check);
    }

    private void step(int what) {
      if (what < 6) {
        write();
      } else if (what < 8) {
        bench.lab.apply();
      } else if (what < 9) {
        watch();
      } else if (what < 10 && !watches.isEmpty()) {
        WatchBench.Received watch = watches.get(random.nextInt(watches.size()));
        if (random.nextInt(4) == 0) {
          watch.cancel();
        } else {
          watch.consume();
        }
      } else if (what < 11 && random.nextInt(6) == 0) {
        compact();
      } else if (what < 11 && random.nextInt(3) == 0) {
        install();
      } else if (what < 12) {
        WatchBench.Connection one = connections.get(random.nextInt(connections.size()));
        one.writable(random.nextBoolean());
        one.askProgress();
      } else if (what < 13 && connections.size() < 4) {
        connections.add(bench.connect());
      } else {
        boolean unused = random.nextBoolean() ? bench.watchLane.runOne() : bench.loop.runOne();
      }
    }

    private void write() {
      int size = random.nextInt(8) == 0 ? 1 + random.nextInt(5) : 1;
      Set<String> keys = new LinkedHashSet<>();
      List<Op> ops = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        if (!keys.add(key)) {
          continue;
        }
        boolean deletes = random.nextInt(4) == 0;
        ops.add(
            deletes
                ? Op.delete(Bytes.utf8(key))
                : Op.put(Bytes.utf8(key), Bytes.utf8("v".repeat(random.nextInt(120)))));
      }
      if (random.nextInt(10) == 0) {
        ops = List.of(Op.deleteRange(KeyRange.prefix(Bytes.utf8("a"))));
      }
      bench.lab.txn(ops);
      if (random.nextInt(10) == 0) {
        bench.lab.noOp();
      }
    }

    private void watch() {
      KeyRange range =
          switch (random.nextInt(4)) {
            case 0 -> KeyRange.all();
            case 1 -> KeyRange.prefix(Bytes.utf8(random.nextBoolean() ? "a" : "b"));
            case 2 -> KeyRange.of(Bytes.utf8("a/2"), Bytes.utf8("c"));
            default -> KeyRange.single(Bytes.utf8(KEYS.get(random.nextInt(KEYS.size()))));
          };
      long from =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> 1 + random.nextInt((int) bench.lab.revision());
            default -> bench.lab.revision() + random.nextInt(10);
          };
      int filter = random.nextInt(6);
      WatchOptions options =
          new WatchOptions(from, random.nextBoolean(), filter != 0, filter != 1, false);
      WatchBench.Connection connection = connections.get(random.nextInt(connections.size()));
      watches.add(connection.watch(range, options, 100 + random.nextInt(1_000)));
    }

    private void compact() {
      bench.lab.apply();
      long oldest = Math.max(1, bench.lab.compactRevision());
      long room = bench.lab.revision() - oldest;
      long at = oldest + (room == 0 ? 0 : random.nextInt((int) room + 1));
      if (random.nextBoolean()) {
        bench.lab.compact(at);
      } else {
        // While somebody reads, who has looked before.
        bench.lab.afterNextCheck(() -> bench.lab.compact(at));
      }
    }

    /** Ahead of what was applied, and maybe of some watches' past; while lanes do their work. */
    private void install() {
      long compact = bench.lab.compactRevision();
      if (random.nextInt(3) == 0) {
        compact += random.nextInt((int) (bench.lab.revision() - compact) + 1);
      }
      bench.lab.install(
          compact,
          () -> {
            for (int i = random.nextInt(4); i > 0; i--) {
              boolean unused =
                  random.nextBoolean() ? bench.watchLane.runOne() : bench.loop.runOne();
            }
          });
    }

    private void finish() {
      bench.lab.apply();
      int messages;
      do {
        messages = messages();
        bench.settle();
        watches.forEach(WatchBench.Received::consume);
        bench.settle();
      } while (messages != messages());
      connections.forEach(WatchBench.Connection::askProgress);
      bench.settle();
    }

    private int messages() {
      return watches.stream().mapToInt(watch -> watch.messages).sum();
    }

    private void check(WatchBench.Received watch) {
      long newest = bench.lab.revision();
      List<WatchEvent> all = bench.lab.events();
      String which = "watch " + watch.id + " of " + watch.range + " " + watch.options;
      if (watch.error.isPresent()) {
        assertThat(watch.error.get().getReason())
            .as(which)
            .isEqualTo(Error.Reason.REVISION_COMPACTED);
        assertThat(watch.error.get().getCompactRevision()).isGreaterThan(watch.through + 1);
      } else if (!watch.isCanceled) {
        assertThat(watch.start).as(which + " was accepted").isPositive();
        assertThat(watch.through).as(which + " has caught up").isGreaterThanOrEqualTo(newest);
        assertThat(watch.pieces).isEmpty();
      }
      List<WatchEvent> wanted = watch.wanted(all, watch.through);
      assertThat(watch.events)
          .as(which)
          .extracting(WatchEvent::type, WatchEvent::keyValue)
          .containsExactlyElementsOf(
              wanted.stream()
                  .map(event -> org.assertj.core.groups.Tuple.tuple(event.type(), event.keyValue()))
                  .toList());
      for (int i = 0; i < wanted.size(); i++) {
        checkPrevious(watch, wanted.get(i), watch.events.get(i));
      }
    }

    private void checkPrevious(WatchBench.Received watch, WatchEvent wanted, WatchEvent got) {
      if (!watch.options.previous()) {
        assertThat(got.previous()).isEmpty();
      } else if (got.previous().isPresent() || wanted.revision() > bench.lab.compactRevision()) {
        // FAULTS F143: it may be missing only where compaction has been.
        assertThat(got.previous()).isEqualTo(wanted.previous());
      }
    }
  }
}
