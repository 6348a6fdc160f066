package io.kvorum.client.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a view makes of what its watch tells. */
class CachedViewTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  private final ManualClock clock = new ManualClock();
  private final ToldWatch watch = new ToldWatch();
  private final CachedView view =
      CachedView.open(watch, KeyRange.all(), CacheOptions.DEFAULT.withClock(clock));
  private final SnapshotListener told = watch.listener();

  private static KeyValue held(Bytes key, long revision) {
    return new KeyValue(key, Bytes.utf8("v" + revision), revision, revision, 1, 0);
  }

  private static WatchEvent event(WatchEvent.Type type, Bytes key, long revision) {
    return new WatchEvent(type, held(key, revision), Optional.empty());
  }

  @Test
  void severalRevisionsAtOnceAreOneStep() {
    told.snapshot(7, List.of(held(A, 3)));
    ViewSnapshot before = view.now();
    told.events(
        new WatchEvents(
            9,
            List.of(
                event(WatchEvent.Type.PUT, A, 8),
                event(WatchEvent.Type.PUT, B, 8),
                event(WatchEvent.Type.DELETE, A, 9))));
    assertThat(before.keyValues()).containsOnlyKeys(A);
    assertThat(before.revision()).isEqualTo(7);
    assertThat(view.now().keyValues()).containsOnlyKeys(B);
    assertThat(view.now().revision()).isEqualTo(9);
    assertThat(view.metrics().weightBytes()).isEqualTo(3);
    told.progress(11);
    assertThat(view.now().revision()).isEqualTo(11);
    assertThat(view.now().keyValues(KeyRange.from(B))).containsOnlyKeys(B);
    assertThatThrownBy(() -> view.now().keyValues().remove(B))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aNewListingReplacesWhatWasKnown() {
    told.snapshot(7, List.of(held(A, 3)));
    told.snapshot(9, List.of(held(B, 8)));
    assertThat(view.now().keyValues()).containsOnlyKeys(B);
    assertThat(view.metrics().listings()).isEqualTo(2);
  }

  /** A store that was restored would take us back, and nobody would notice. */
  @Test
  void aStoreThatGoesBackEndsTheView() {
    CompletableFuture<CachedView> ready = view.ready();
    told.snapshot(7, List.of(held(A, 3)));
    assertThat(ready).isCompletedWithValue(view);
    told.snapshot(6, List.of());
    assertThatThrownBy(view::now)
        .isInstanceOf(KvException.Unavailable.class)
        .hasMessageContaining("gone back from revision 7 to 6");
    assertThat(watch.isClosed()).isTrue();
  }

  @Test
  void theAgeIsThatOfTheLastNews() {
    told.snapshot(7, List.of());
    clock.passMillis(3_000);
    assertThat(view.now().age()).hasMillis(3_000);
    told.progress(7);
    assertThat(view.age()).isZero();
    clock.passMillis(10);
    assertThat(view.now().age()).hasMillis(10);
  }

  @Test
  void whatEndsTheWatchIsWhatReadsFailWith() {
    KvException.Rejected why =
        new KvException.Rejected(KvException.Reason.WRONG_CLUSTER, "another cluster");
    told.ended(new WatchEnd.Rejected(why));
    assertThatThrownBy(view::now).isSameAs(why);
    assertThat(view.ready()).isCompletedExceptionally();
    told.snapshot(7, List.of());
    assertThatThrownBy(view::now).isSameAs(why);
  }
}
