package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.server.store.LeaseChange;
import io.kvorum.server.store.LeaseRow;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeaseDeadlinesTest {
  private static final long SECOND = 1_000_000_000;
  private static final long GRACE = SECOND / 2;

  private long now = -7 * SECOND;
  private final LeaseDeadlines deadlines = new LeaseDeadlines(now, GRACE);

  private void pass(long nanos) {
    for (long left = nanos; left > 0; left -= SECOND / 10) {
      now += Math.min(left, SECOND / 10);
      deadlines.look(now);
    }
  }

  private void renewed(long id, long ttlMillis, long index) {
    deadlines.apply(List.of(new LeaseChange(id, new LeaseRow(ttlMillis, index, ttlMillis))));
  }

  private List<Long> expired(int most) {
    return deadlines.expired(most).stream().map(LeaseDeadlines.Expiry::id).toList();
  }

  @Test
  void aLeaseEndsAfterItsTimeAndWhatAClockMayBeFast() {
    renewed(1, 2000, 5);
    pass(2049 * SECOND / 1000);
    assertThat(expired(9)).isEmpty();
    pass(SECOND / 1000);
    assertThat(deadlines.expired(9))
        .containsExactly(new LeaseDeadlines.Expiry(1, new LeaseRow(2000, 5, 2000)));
  }

  @Test
  void aRenewalBeginsItAnewAndACheckpointDoesNot() {
    renewed(1, 2000, 5);
    pass(SECOND);
    deadlines.apply(List.of(new LeaseChange(1, new LeaseRow(2000, 5, 1000))));
    pass(SECOND / 2);
    renewed(1, 2000, 6);
    pass(2 * SECOND);
    assertThat(expired(9)).isEmpty();
    pass(SECOND / 10);
    assertThat(expired(9)).containsExactly(1L);
  }

  @Test
  void whatIsGoneDoesNotEnd() {
    renewed(1, 2000, 5);
    deadlines.apply(List.of(new LeaseChange(1, null)));
    pass(10 * SECOND);
    assertThat(expired(9)).isEmpty();
    assertThat(deadlines.remainingMillis(1)).isNull();
    assertThat(deadlines.size()).isZero();
  }

  /** F125: what was proposed and came to nothing is proposed again. */
  @Test
  void nothingIsProposedTwiceAtATimeAndEverythingUntilItIsDone() {
    renewed(1, 2000, 5);
    renewed(2, 2001, 6);
    renewed(3, 2002, 7);
    pass(3 * SECOND);
    assertThat(expired(2)).as("the first ones first").containsExactly(1L, 2L);
    deadlines.proposed(1);
    assertThat(expired(2)).containsExactly(2L, 3L);
    deadlines.settled(1);
    assertThat(expired(9)).containsExactly(1L, 2L, 3L);
  }

  /** F124: the renewals of that time are still under way when the node wakes up. */
  @Test
  void whileTheNodeSleepsNoTimePasses() {
    renewed(1, 2000, 5);
    pass(SECOND);
    now += 3600 * SECOND;
    deadlines.look(now);
    assertThat(expired(9)).isEmpty();
    pass(SECOND);
    assertThat(expired(9)).containsExactly(1L);
  }

  @Test
  void aNewLeaderGivesWhatWasLeftAndAnElection() {
    renewed(1, 10_000, 5);
    renewed(2, 10_000, 6);
    deadlines.apply(List.of(new LeaseChange(2, new LeaseRow(10_000, 6, 2000))));
    pass(9 * SECOND);
    deadlines.lead();
    pass(2 * SECOND + GRACE);
    assertThat(expired(9)).isEmpty();
    pass(SECOND / 10);
    assertThat(expired(9)).containsExactly(2L);
    pass(7 * SECOND);
    assertThat(expired(9)).containsExactly(2L);
    pass(12 * SECOND / 10);
    assertThat(expired(9)).containsExactly(2L, 1L);
  }

  @Test
  void halfOfTheTimeIsWrittenDownAndThenHalfOfTheRest() {
    renewed(1, 10_000, 5);
    pass(5 * SECOND);
    assertThat(deadlines.checkpoints(9)).isEmpty();
    pass(SECOND / 5);
    Map<Long, LeaseRow> half = deadlines.checkpoints(9);
    assertThat(half).containsOnlyKeys(1L);
    LeaseRow row = half.get(1L);
    assertThat(row.renewedIndex()).isEqualTo(5);
    assertThat(row.remainingMillis()).isBetween(4800L, 5000L);
    deadlines.apply(List.of(new LeaseChange(1, row)));
    assertThat(deadlines.checkpoints(9)).isEmpty();
    pass(26 * SECOND / 10);
    assertThat(deadlines.checkpoints(9).get(1L).remainingMillis()).isBetween(2200L, 2500L);
  }

  /** A long lease has a checkpoint a minute; each is behind the one before, or it would not end. */
  @Test
  void checkpointsOfALongLeaseGoDown() {
    renewed(1, 3_000_000, 5);
    deadlines.lead();
    long last = 3_000_000;
    for (int i = 0; i < 20; i++) {
      pass(62 * SECOND);
      Map<Long, LeaseRow> checkpoint = deadlines.checkpoints(9);
      assertThat(checkpoint).containsOnlyKeys(1L);
      assertThat(checkpoint.get(1L).remainingMillis()).isLessThanOrEqualTo(last - 60_000);
      last = checkpoint.get(1L).remainingMillis();
      deadlines.apply(List.of(new LeaseChange(1, checkpoint.get(1L))));
      assertThat(deadlines.checkpoints(9)).isEmpty();
    }
  }

  @Test
  void theLongestLeaseDoesNotOverflow() {
    renewed(1, 9_000_000_000_000L, 5);
    deadlines.lead();
    pass(100 * SECOND);
    assertThat(expired(9)).isEmpty();
    assertThat(deadlines.remainingMillis(1)).isGreaterThan(1_000_000_000_000L);
  }
}
