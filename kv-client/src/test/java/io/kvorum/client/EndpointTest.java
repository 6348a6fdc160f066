package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What configures a client: endpoints, back-off, limits. */
class EndpointTest {
  @Test
  void readsHostAndPort() {
    assertThat(Endpoint.parse("127.0.0.1:7400")).isEqualTo(new Endpoint("127.0.0.1", 7400));
    assertThat(Endpoint.parse(" db.example.com:1 ")).isEqualTo(new Endpoint("db.example.com", 1));
    assertThat(Endpoint.parse("[::1]:65535")).isEqualTo(new Endpoint("::1", 65_535));
    assertThat(Endpoint.parseList("a:1, b:2"))
        .containsExactly(new Endpoint("a", 1), new Endpoint("b", 2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "host",
        "host:",
        ":7400",
        "host:0",
        "host:65536",
        "host:-1",
        "host:+1",
        "host:123456",
        "host:7x",
        "::1:7400",
        "[::1]",
        "ho st:1",
        "a:1,b:2",
        "host:٣"
      })
  void refusesWhatIsNeitherAndSaysWhatItGot(String text) {
    assertThatThrownBy(() -> Endpoint.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s).*(expected host:port|not a host|a port is).*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:7400", "[::1]:7400", "localhost:1"})
  void printsWhatItReads(String text) {
    assertThat(Endpoint.parse(text)).hasToString(text);
  }

  @Test
  void backoffDoublesToItsMaximumLessUpToHalf() {
    Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));
    Random random = new Random(7);
    long[] mostMillis = {10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000};
    for (int failures = 1; failures <= mostMillis.length; failures++) {
      long most = mostMillis[failures - 1] * 1_000_000;
      for (int i = 0; i < 1_000; i++) {
        assertThat(backoff.delayNanos(failures, random)).isBetween(most / 2, most);
      }
    }
    assertThat(backoff.delayNanos(Integer.MAX_VALUE, random))
        .isBetween(500_000_000L, 1_000_000_000L);
    Backoff long300Years = new Backoff(Duration.ofDays(1), Duration.ofDays(100_000));
    assertThat(long300Years.delayNanos(Integer.MAX_VALUE, random)).isPositive();
  }

  @Test
  void configurationsThatCannotWorkAreRefused() {
    Endpoint endpoint = Endpoint.parse("h:1");
    assertThatThrownBy(() -> ClientConfig.builder().build())
        .hasMessageContaining("at least one endpoint");
    assertThatThrownBy(
            () ->
                ClientConfig.builder()
                    .endpoints(List.of(endpoint))
                    .requestTimeout(Duration.ZERO)
                    .build())
        .hasMessageContaining("requestTimeout");
    assertThatThrownBy(() -> ClientConfig.builder().endpoints("h:1").inflightMax(0).build())
        .hasMessageContaining("inflightMax");
    assertThatThrownBy(() -> ClientConfig.builder().endpoints("h:1").inflightBytesMax(0).build())
        .hasMessageContaining("inflightBytesMax");
    assertThatThrownBy(() -> ClientConfig.builder().endpoints("h:1").clusterId(" ").build())
        .hasMessageContaining("clusterId");
    assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofSeconds(1)))
        .hasMessageContaining("0 < min <= max");
    assertThat(ClientConfig.of(endpoint).requestTimeout()).isEqualTo(Duration.ofSeconds(5));
  }

  /** A server cannot fill the client's memory with endpoints. */
  @Test
  void learnedEndpointsAreBounded() {
    Routes routes = new Routes(List.of(Endpoint.parse("h:1")), Backoff.DEFAULT, new Random(1));
    for (int port = 1; port <= 1_000; port++) {
      routes.leader(new Endpoint("evil", port));
      routes.failed(new Endpoint("evil", port), false, 0);
    }
    int reachable = 0;
    for (Endpoint next = routes.next(Long.MAX_VALUE / 2);
        next != null && reachable < 2_000;
        next = routes.next(Long.MAX_VALUE / 2)) {
      routes.failed(next, true, Long.MAX_VALUE / 2);
      reachable++;
    }
    assertThat(reachable).isEqualTo(17);
  }
}
