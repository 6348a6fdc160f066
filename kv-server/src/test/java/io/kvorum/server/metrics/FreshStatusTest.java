package io.kvorum.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.NodeStatus;
import io.kvorum.api.SpaceUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whether readers of gauges bother a node, or wait for it, more than they must. */
class FreshStatusTest {
  private final HandClock clock = new HandClock();
  private final List<CompletableFuture<NodeStatus>> asked = new ArrayList<>();
  private final FreshStatus fresh = new FreshStatus(this::ask, clock);

  private CompletableFuture<NodeStatus> ask() {
    CompletableFuture<NodeStatus> answer = new CompletableFuture<>();
    asked.add(answer);
    return answer;
  }

  @Test
  void aNodeThatDoesNotAnswerIsAskedOnceAndNothingIsKnownOfIt() {
    for (int i = 0; i < 3; i++) {
      assertThat(fresh.newest()).isNull();
      assertThat(fresh.ageSeconds()).isNaN();
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(asked).hasSize(1);
  }

  @Test
  void anAnswerThatComesLateIsTakenAndAges() {
    assertThat(fresh.newest()).isNull();
    asked.get(0).complete(status(7));
    clock.advance(Duration.ofSeconds(1));
    assertThat(fresh.newest()).isEqualTo(status(7));
    assertThat(fresh.ageSeconds()).isZero();

    clock.advance(Duration.ofSeconds(2));
    assertThat(fresh.ageSeconds()).as("asked again, and not answered").isEqualTo(2);
    assertThat(fresh.newest()).isEqualTo(status(7));
    assertThat(asked).hasSize(2);
  }

  @Test
  void whatIsHalfASecondOldIsAskedForAnewAndNothingSooner() {
    assertThat(fresh.newest()).isNull();
    asked.get(0).complete(status(1));
    clock.advance(Duration.ofSeconds(1));
    assertThat(fresh.newest()).isEqualTo(status(1));

    clock.advance(Duration.ofMillis(FreshStatus.FRESH_MILLIS - 1));
    assertThat(fresh.newest()).isEqualTo(status(1));
    assertThat(asked).hasSize(1);
    clock.advance(Duration.ofMillis(1));
    assertThat(fresh.newest()).isEqualTo(status(1));
    assertThat(asked).hasSize(2);
  }

  @Test
  void aNodeThatIsClosedIsAskedAgainLater() {
    assertThat(fresh.newest()).isNull();
    asked.get(0).completeExceptionally(new IllegalStateException("closed"));
    clock.advance(Duration.ofSeconds(1));
    assertThat(fresh.newest()).isNull();
    clock.advance(Duration.ofSeconds(1));
    assertThat(fresh.newest()).isNull();
    assertThat(asked).hasSize(2);
  }

  private static NodeStatus status(long revision) {
    return new NodeStatus(
        "",
        "c",
        "n1",
        "0.1",
        "follower",
        1,
        Optional.empty(),
        new NodeStatus.LogPosition(4, 3, 2, 1),
        NodeStatus.Snapshots.NONE,
        NodeStatus.Disk.UNWATCHED,
        revision,
        0,
        new SpaceUse(0, 0, 0, false),
        "sync",
        List.of(),
        List.of(),
        Optional.empty());
  }
}
