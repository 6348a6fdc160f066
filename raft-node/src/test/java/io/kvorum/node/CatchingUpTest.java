package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.Progress;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** For how long a change of the membership waits for its learners. */
final class CatchingUpTest {
  private static final int PATIENCE = 10;
  private static final NodeId N4 = new NodeId("n4");
  private static final NodeId N5 = new NodeId("n5");
  private static final long COMMIT = 100;

  private final SortedMap<NodeId, Progress> progress = new TreeMap<>();
  private final SortedMap<NodeId, CatchingUp.Fetched> fetched = new TreeMap<>();
  private final CatchingUp one = of(N4);

  private static CatchingUp of(NodeId... nodes) {
    return new CatchingUp(new TreeSet<>(List.of(nodes)), PATIENCE);
  }

  private void seen(NodeId node, long match, Progress.State state, boolean isActive) {
    progress.put(node, new Progress(match, match + 1, 0, 0, state, 0, isActive));
  }

  private boolean tick(CatchingUp of) {
    return of.isWorthWaiting(progress, COMMIT, this::fetchedBy);
  }

  private CatchingUp.@Nullable Fetched fetchedBy(NodeId node) {
    return fetched.get(node);
  }

  /** How many ticks it is waited for. */
  private int patience(CatchingUp of) {
    int ticks = 1;
    while (tick(of)) {
      ticks++;
      assertThat(ticks).isLessThan(100 * PATIENCE);
    }
    return ticks;
  }

  @Test
  void whoIsNotHeardOfOrStandsStillIsGivenUp() {
    assertThat(patience(of(N4))).isEqualTo(PATIENCE);
    seen(N4, 5, Progress.State.PROBE, false);
    assertThat(patience(of(N4))).isEqualTo(PATIENCE);
    seen(N4, 5, Progress.State.REPLICATE, true);
    assertThat(patience(of(N4))).isEqualTo(PATIENCE + 1);
  }

  @Test
  void whoseLogGrowsOrHasAllIsWaitedFor() {
    for (int i = 1; i < 5 * PATIENCE; i++) {
      seen(N4, i, Progress.State.REPLICATE, true);
      assertThat(tick(one)).isTrue();
    }
    seen(N4, COMMIT, Progress.State.REPLICATE, true);
    for (int i = 1; i < 5 * PATIENCE; i++) {
      assertThat(tick(one)).isTrue();
    }
  }

  @Test
  void whoFetchesIsWaitedForAndThenHasTimeToInstall() {
    seen(N4, 0, Progress.State.SNAPSHOT, true);
    for (int i = 1; i < 5 * SnapshotSender.INSTALL_PATIENCE * PATIENCE; i++) {
      fetched.put(N4, new CatchingUp.Fetched("s", i / 20));
      assertThat(tick(one)).isTrue();
    }
    fetched.clear();
    assertThat(patience(one)).isBetween(8 * PATIENCE, 10 * PATIENCE);
  }

  @Test
  void whoFallsSilentWhileItInstallsIsGivenUpSooner() {
    seen(N4, 0, Progress.State.SNAPSHOT, false);
    assertThat(patience(one)).isEqualTo(PATIENCE);
  }

  /** Its disk is full: it asks for the beginning again and again, and of newer ones too. */
  @Test
  void whatIsFetchedAgainDoesNotCount() {
    seen(N4, 0, Progress.State.SNAPSHOT, true);
    int ticks = 0;
    boolean isWorth = true;
    while (isWorth) {
      fetched.put(N4, new CatchingUp.Fetched("s" + ticks / 50, 1 + ticks % 10));
      isWorth = tick(one);
      ticks++;
      assertThat(ticks).isLessThan(1000);
    }
    assertThat(ticks).isGreaterThan(50 * (CatchingUp.SNAPSHOTS_MAX - 1));
  }

  @Test
  void oneThatIsDeadDoesNotHideBehindOneThatIsBusy() {
    CatchingUp both = of(N4, N5);
    int ticks = 0;
    boolean isWorth = true;
    while (isWorth) {
      seen(N4, ++ticks, Progress.State.REPLICATE, true);
      isWorth = tick(both);
    }
    assertThat(ticks).isEqualTo(PATIENCE);
  }
}
