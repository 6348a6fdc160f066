package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which endpoints are asked, as servers say where the members are. */
class RoutesTest {
  private static final Endpoint CONFIGURED = Endpoint.parse("a:1");

  private final Routes routes =
      new Routes(
          List.of(CONFIGURED),
          new Backoff(Duration.ofMillis(10), Duration.ofMillis(100)),
          new SplittableRandom(1));

  @Test
  void whatServersNameIsAskedBesideWhatIsConfigured() {
    routes.members(List.of("a:1", "b:1", "c:1"));
    assertThat(asked(3)).containsExactlyInAnyOrder("a:1", "b:1", "c:1");
  }

  @Test
  void aMemberThatWasRemovedIsForgottenAndWhatIsConfiguredStays() {
    routes.members(List.of("a:1", "b:1"));
    routes.leader(Endpoint.parse("b:1"));
    routes.members(List.of("c:1"));
    assertThat(asked(2)).containsExactlyInAnyOrder("a:1", "c:1");
    assertThat(routes.next(0)).as("all are being left alone").isNull();
  }

  @Test
  void whatIsMalformedOrTooMuchIsLeftOut() {
    routes.members(List.of("", "nonsense", "b:1"));
    assertThat(asked(2)).containsExactlyInAnyOrder("a:1", "b:1");
    Routes flooded = new Routes(List.of(CONFIGURED), Backoff.DEFAULT, new SplittableRandom(1));
    flooded.members(IntStream.range(1, 1000).mapToObj(port -> "h:" + port).toList());
    Set<Endpoint> seen = new LinkedHashSet<>();
    for (Endpoint next = flooded.next(0); next != null; next = flooded.next(0)) {
      seen.add(next);
      flooded.failed(next, false, 0);
    }
    assertThat(seen).hasSize(1 + 16);
  }

  /** Asks so many endpoints, each of which fails. */
  private List<String> asked(int count) {
    Set<String> asked = new LinkedHashSet<>();
    for (int i = 0; i < count; i++) {
      Endpoint next = routes.next(0);
      assertThat(next).isNotNull();
      asked.add(next.toString());
      routes.failed(next, false, 0);
    }
    return List.copyOf(asked);
  }
}
