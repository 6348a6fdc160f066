package io.kvorum.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogConfig;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a data directory remembers of how its group began. */
class OriginTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final Membership ONE = Membership.of(List.of(N1));
  private static final Membership TWO = Membership.of(List.of(N1, new NodeId("n2")));

  private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));

  private Membership start(Membership configured, boolean opensLog) {
    try (DataDirectory directory = DataDirectory.open(disk, "c", N1, new SplittableRandom(2))) {
      Membership origin = directory.origin(configured);
      if (opensLog) {
        DataDirectory.Opened opened =
            directory.openLog(
                LogConfig.DEFAULT.withEntryBytesMax(1 << 10).withSegmentBytes(16 << 10),
                Runnable::run,
                new SplittableRandom(3),
                EntryId.ZERO,
                null);
        opened.log().close();
        opened.voteFile().close();
      }
      return origin;
    }
  }

  @Test
  void laterSettingsMakeNoOtherGroup() {
    assertThat(start(TWO, true)).isEqualTo(TWO);
    disk.crash();
    disk.restart();
    assertThat(start(ONE, true)).isEqualTo(TWO);
    assertThat(start(Membership.EMPTY, true)).isEqualTo(TWO);
  }

  @Test
  void aNodeThatWasMadeToJoinFoundsNoGroup() {
    assertThat(start(Membership.EMPTY, true)).isEqualTo(Membership.EMPTY);
    assertThat(start(ONE, true)).isEqualTo(Membership.EMPTY);
  }

  @Test
  void beforeAnythingWasPromisedTheSettingsMayStillChange() {
    assertThat(start(TWO, false)).isEqualTo(TWO);
    assertThat(start(ONE, true)).isEqualTo(ONE);
  }

  @Test
  void aDirectoryWithoutOriginCountsAsMadeWithWhatIsConfigured() {
    start(TWO, true);
    disk.delete("origin");
    assertThatThrownBy(() -> start(Membership.EMPTY, true))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("without \"join\"");
    assertThat(start(TWO, true)).isEqualTo(TWO);
    assertThat(start(ONE, true)).isEqualTo(TWO);
  }

  private GroupMark mark(Membership configured) {
    try (DataDirectory directory = DataDirectory.open(disk, "c", N1, new SplittableRandom(2))) {
      return directory.groupMark(configured);
    }
  }

  @Test
  void foundingMembersKnowTheirGroupAndAreConfirmedOnce() {
    start(TWO, true);
    GroupMark two = mark(TWO);
    long founded = two.value();
    assertThat(founded).isNotEqualTo(GroupMark.UNKNOWN);
    assertThat(two.isConfirmed()).isFalse();
    two.confirm(founded + 1);
    two.confirm(GroupMark.UNKNOWN);
    assertThat(two.isConfirmed()).as("by another group, or by one that knows none").isFalse();
    two.confirm(founded);
    disk.crash();
    disk.restart();
    assertThat(mark(ONE).isConfirmed()).isTrue();
    assertThat(mark(ONE).value()).isEqualTo(founded);
    assertThat(start(ONE, true)).isEqualTo(TWO);
  }

  @Test
  void otherFoundersAreAnotherGroup() {
    start(TWO, true);
    long two = mark(TWO).value();
    SimulatedDisk other = SimulatedDisk.create(new SplittableRandom(4));
    try (DataDirectory directory = DataDirectory.open(other, "c", N1, new SplittableRandom(5))) {
      GroupMark one = directory.groupMark(ONE);
      assertThat(one.fits(two)).isFalse();
      assertThat(one.fits(one.value())).isTrue();
      assertThat(one.fits(GroupMark.UNKNOWN)).isTrue();
    }
  }

  @Test
  void whoeverJoinsLearnsWhichGroupItIs() {
    start(Membership.EMPTY, true);
    GroupMark joined = mark(Membership.EMPTY);
    assertThat(joined.value()).isEqualTo(GroupMark.UNKNOWN);
    assertThat(joined.fits(7)).isTrue();
    joined.confirm(0xabc);
    assertThat(joined.fits(7)).isFalse();
    assertThat(new String(disk.read("origin"), UTF_8))
        .matches("kvorum-origin 1\njoined\ngroup abc\ncrc [0-9a-f]{8}\n");
    assertThat(mark(Membership.EMPTY).value()).isEqualTo(0xabc);
    assertThat(start(TWO, true)).isEqualTo(Membership.EMPTY);
  }

  @Test
  void theFileIsReadByPeopleAndCheckedByNodes() {
    start(TWO, true);
    assertThat(new String(disk.read("origin"), UTF_8))
        .matches("kvorum-origin 1\nvoter n1\nvoter n2\ncrc [0-9a-f]{8}\n");
    disk.flipBit("origin", 8 * 20);
    assertThatThrownBy(() -> start(TWO, true))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("damaged");
  }
}
