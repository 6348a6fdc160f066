package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetentionPolicyTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void everythingIsKeptWhenNothingIsSaid() {
    RetentionPolicy policy = new RetentionPolicy(Retention.EVERYTHING);
    policy.look(0, 1);
    assertThat(policy.due(1000 * SECOND, 1 << 30, 0)).isZero();
  }

  @Test
  void byNumberHalfMoreIsKept() {
    RetentionPolicy policy = new RetentionPolicy(Retention.EVERYTHING.withRevisions(100));
    assertThat(policy.due(0, 150, 0)).isZero();
    assertThat(policy.due(0, 151, 0)).isEqualTo(51);
    assertThat(policy.due(0, 201, 51)).isZero();
    assertThat(policy.due(0, 202, 51)).isEqualTo(102);
  }

  @Test
  void byAgeNothingYoungerGoes() {
    Duration age = Duration.ofSeconds(100);
    RetentionPolicy policy = new RetentionPolicy(Retention.EVERYTHING.withAge(age));
    // One revision a second, from the start of a clock that is about to wrap.
    long start = Long.MAX_VALUE - 150 * SECOND;
    long compacted = 0;
    for (int second = 0; second < 500; second++) {
      long now = start + second * SECOND;
      policy.look(now, second + 1);
      long due = policy.due(now, second + 1, compacted);
      if (due != 0) {
        assertThat(due).isLessThanOrEqualTo(second + 1 - 100);
        assertThat(due).isGreaterThanOrEqualTo(second + 1 - 111);
        compacted = due;
      }
    }
    assertThat(compacted).isGreaterThan(380);
  }

  @Test
  void withBothRulesTheOneThatKeepsMoreCounts() {
    Retention both = Retention.EVERYTHING.withAge(Duration.ofSeconds(10)).withRevisions(100);
    RetentionPolicy policy = new RetentionPolicy(both);
    policy.look(0, 500);
    assertThat(policy.due(SECOND, 1000, 0)).as("all of it is young").isZero();
    policy.look(20 * SECOND, 1000);
    assertThat(policy.due(20 * SECOND, 1000, 0)).isEqualTo(500);
    policy.look(40 * SECOND, 1000);
    assertThat(policy.due(40 * SECOND, 1000, 0)).isEqualTo(900);
  }
}
