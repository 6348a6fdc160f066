package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.node.SpaceConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The marks and the reserve, as they are set. */
class SpaceSettingsTest {
  private static final long MIB = 1 << 20;

  private static SpaceConfig space(Map<Setting, String> flags) {
    return Settings.read(null, Map.of(), flags).toConfig().space();
  }

  @Test
  void byDefaultTheyFollowFromTheSegments() {
    assertThat(space(Map.of())).isEqualTo(new SpaceConfig(16 * MIB, 192 * MIB, 64 * MIB));
    assertThat(space(Map.of(Setting.SEGMENT_MIB, "8")))
        .isEqualTo(new SpaceConfig(2 * MIB, 24 * MIB, 8 * MIB));
  }

  @Test
  void lowMarkOfZeroTurnsAllOff() {
    assertThat(space(Map.of(Setting.DISK_LOW_MIB, "0"))).isEqualTo(SpaceConfig.NONE);
  }

  /** A mark below what would be usual for the reserve makes that smaller. */
  @Test
  void eachCanBeSetAlone() {
    assertThat(space(Map.of(Setting.DISK_LOW_MIB, "30")))
        .isEqualTo(new SpaceConfig(10 * MIB, 30 * MIB, 10 * MIB));
    assertThat(space(Map.of(Setting.DISK_RESERVE_MIB, "0")))
        .isEqualTo(new SpaceConfig(0, 192 * MIB, 64 * MIB));
  }

  @Test
  void reserveThatIsTooLargeIsRefused() {
    assertThatThrownBy(() -> space(Map.of(Setting.DISK_RESERVE_MIB, "65")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too large for a low mark");
    assertThatThrownBy(
            () -> space(Map.of(Setting.DISK_LOW_MIB, "0", Setting.DISK_RESERVE_MIB, "1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("never given up");
  }
}
