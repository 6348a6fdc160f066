package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.client.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where a process is to say its metrics. */
class MetricsSettingTest {
  private static Settings with(String text) {
    return Settings.read(null, Map.of("KVORUM_METRICS", text), Map.of());
  }

  @Test
  void nowhereUnlessItIsSaid() {
    assertThat(Settings.read(null, Map.of(), Map.of()).metrics()).isEmpty();
    assertThat(with(" ").metrics()).isEmpty();
    assertThat(with("[::1]:9090").metrics()).contains(new Endpoint("::1", 9090));
  }

  @Test
  void whatIsMalformedIsNamedWithItsSetting() {
    assertThatThrownBy(() -> with("9090").metrics())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("metrics: ")
        .hasMessageContaining("9090");
  }
}
