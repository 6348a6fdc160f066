package io.kvorum.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.server.store.EventPlace;
import io.kvorum.server.store.History;
import io.kvorum.server.store.StoreEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class EventRingTest {
  private static StoreEvent event(long revision, int sub) {
    KeyValue now = new KeyValue(Bytes.utf8("k"), Bytes.utf8("v"), revision, revision, 1, 0);
    return new StoreEvent(sub, false, now, null);
  }

  private static EventRing ring(int eventsMax, AtomicInteger news) {
    WatchLimits limits = new WatchLimits(eventsMax, 1 << 20, 10, 1 << 20, 1_000, 10);
    return new EventRing(limits, 1, news::incrementAndGet);
  }

  @Test
  void itHoldsNothingWhileNobodyWatches() {
    AtomicInteger news = new AtomicInteger();
    EventRing ring = ring(10, news);
    assertThat(ring.isWanted()).isFalse();
    ring.applied(List.of(event(2, 0)), 2);
    assertThat(ring.newest()).isEqualTo(2);
    assertThat(ring.size()).isZero();
    assertThat(news).hasValue(0);
    ring.want(true);
    ring.applied(List.of(event(3, 0)), 3);
    ring.applied(List.of(), 3);
    assertThat(news).hasValue(1);
    assertThat(ring.read(EventPlace.before(3), 3, 10, 1_000)).isNotNull();
    assertThat(ring.read(EventPlace.before(2), 3, 10, 1_000)).as("from before").isNull();
    ring.want(false);
    assertThat(ring.size()).isZero();
  }

  @Test
  void afterAJumpItBeginsAnew() {
    EventRing ring = ring(10, new AtomicInteger());
    ring.want(true);
    ring.applied(List.of(event(2, 0)), 2);
    ring.applied(List.of(event(4, 0), event(7, 0)), 7);
    assertThat(ring.size()).isEqualTo(1);
    assertThat(ring.read(EventPlace.before(2), 7, 10, 1_000)).isNull();
    assertThat(ring.read(EventPlace.before(7), 7, 10, 1_000)).isNotNull();
    ring.applied(List.of(), 20);
    assertThat(ring.size()).isZero();
  }

  @Test
  void whatIsMissingAtTheNewEndIsNotInIt() {
    EventRing ring = ring(10, new AtomicInteger());
    ring.want(true);
    ring.applied(List.of(event(2, 0)), 2);
    assertThat(ring.read(EventPlace.before(2), 3, 10, 1_000)).isNull();
  }

  /** Whatever it holds, it reads as the list of all events does, or says that it does not. */
  @Property(tries = 200)
  void itReadsAsTheListDoes(@ForAll long seed) {
    Random random = new Random(seed);
    EventRing ring = ring(random.nextInt(40), new AtomicInteger());
    ring.want(true);
    List<StoreEvent> all = new ArrayList<>();
    long revision = 1;
    for (int batch = 0; batch < 60; batch++) {
      List<StoreEvent> added = new ArrayList<>();
      int revisions = 1 + random.nextInt(3);
      for (int i = 0; i < revisions; i++) {
        revision++;
        int size = 1 + random.nextInt(3);
        for (int sub = 0; sub < size; sub++) {
          added.add(event(revision, sub));
        }
      }
      ring.applied(added, revision);
      all.addAll(added);
      check(ring, all, random, revision);
    }
  }

  private static void check(EventRing ring, List<StoreEvent> all, Random random, long newest) {
    EventPlace from = new EventPlace(2 + random.nextLong(newest - 1), random.nextInt(3));
    long to = from.revision() + random.nextLong(newest - from.revision() + 1);
    int most = 1 + random.nextInt(10);
    History.Part part = ring.read(from, to, most, Long.MAX_VALUE);
    if (part == null) {
      long events = all.stream().filter(one -> one.revision() >= from.revision()).count();
      assertThat(events).as("held no more").isGreaterThan(ring.size());
      return;
    }
    List<StoreEvent> due =
        all.stream()
            .filter(
                one ->
                    one.revision() <= to
                        && (one.revision() > from.revision()
                            || (one.revision() == from.revision() && one.sub() >= from.sub())))
            .toList();
    assertThat(part.events()).isEqualTo(due.subList(0, Math.min(most, due.size())));
    EventPlace next =
        most >= due.size()
            ? EventPlace.before(to + 1)
            : new EventPlace(due.get(most).revision(), due.get(most).sub());
    assertThat(part.next()).isEqualTo(next);
  }
}
