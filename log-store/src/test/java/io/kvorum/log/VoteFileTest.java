package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.HardState;
import io.kvorum.raft.NodeId;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class VoteFileTest {
  private static final HardState OLD = new HardState(3, new NodeId("n1"));
  private static final HardState NEW = new HardState(4, new NodeId("n2"));

  @Test
  void newNodeHasNotVoted() {
    assertThat(load(disk(1), false)).isEqualTo(HardState.INITIAL);
  }

  @Test
  void storedVoteIsFoundAgain() {
    SimulatedDisk disk = disk(1);
    String longest = "x".repeat(NodeId.LENGTH_MAX);
    for (HardState state :
        List.of(
            OLD,
            NEW,
            new HardState(5, null),
            new HardState(6, new NodeId(longest)),
            new HardState(7, null, 6),
            new HardState(8, new NodeId(longest), 6),
            new HardState(8, null))) {
      try (VoteFile votes = VoteFile.open(disk, disk.exists(VoteFile.NAME))) {
        votes.store(state);
        assertThat(votes.load()).isEqualTo(state);
      }
      assertThat(load(disk, true)).isEqualTo(state);
      assertThat(VoteFile.peek(disk)).isEqualTo(state);
    }
  }

  /** What was lost is part of what the checksum guards, and an older program reads none of it. */
  @Test
  void whatWasLostIsGuardedAndOfAVersionOfItsOwn() {
    SimulatedDisk disk = voted(1);
    try (VoteFile votes = VoteFile.open(disk, true)) {
      votes.store(new HardState(9, null, 8));
    }
    byte[] content = disk.content(VoteFile.NAME);
    assertThat(content[4]).isEqualTo((byte) 2);
    for (int at = 0; at < 104; at++) {
      byte[] bad = content.clone();
      bad[at] ^= 1;
      bad[VoteFile.SLOT_BYTES + at] ^= 1;
      disk.plant(VoteFile.NAME, bad);
      assertThatThrownBy(() -> VoteFile.peek(disk)).isInstanceOf(CorruptLogException.class);
    }
  }

  /** F043, F048: at each step the file has the old or the new vote; once announced, the new. */
  @Test
  void everyCrashLeavesTheOldOrTheNewVote() {
    for (int call = 1; call <= 5; call++) {
      for (int variant = 0; variant < 100; variant++) {
        SimulatedDisk disk = voted(variant);
        VoteFile votes = VoteFile.open(disk, true);
        arm(disk, call, variant);
        boolean announced = false;
        try {
          votes.store(NEW);
          announced = true;
        } catch (SimulatedCrash crash) {
          assertThat(crash).hasMessageContaining("power lost");
        }
        disk.crash();
        disk.restart();
        HardState found = load(disk, true);
        assertThat(found).as("call %d variant %d", call, variant).isIn(OLD, NEW);
        if (announced) {
          assertThat(found).isEqualTo(NEW);
        }
        assertThat(announced).isEqualTo(call > 4);
        // What one start has seen, the next one must see.
        disk.crash();
        disk.restart();
        assertThat(load(disk, true)).isEqualTo(found);
      }
    }
  }

  @Test
  void creationMayCrashAnywhere() {
    for (int call = 1; call <= 10; call++) {
      for (int variant = 0; variant < 20; variant++) {
        SimulatedDisk disk = disk(variant);
        arm(disk, call, variant);
        try {
          VoteFile.open(disk, false);
        } catch (SimulatedCrash crash) {
          assertThat(crash).hasMessageContaining("power lost");
        }
        disk.crash();
        disk.restart();
        assertThat(load(disk, false)).isEqualTo(HardState.INITIAL);
      }
    }
  }

  /** F042: a vote that looks stored after a failed sync becomes really stored when it is found. */
  @Test
  void errorKillsTheFile() {
    for (int call = 1; call <= 4; call++) {
      SimulatedDisk disk = voted(call);
      VoteFile votes = VoteFile.open(disk, true);
      disk.failAt(call);
      UncheckedIOException error = null;
      try {
        votes.store(NEW);
      } catch (UncheckedIOException e) {
        error = e;
      }
      assertThat(error).isNotNull();
      assertThatThrownBy(votes::load).isSameAs(error);
      assertThatThrownBy(() -> votes.store(NEW)).isSameAs(error);
      disk.restart();
      HardState found = load(disk, true);
      disk.crash();
      disk.restart();
      assertThat(load(disk, true)).isEqualTo(found).isIn(OLD, NEW);
    }
  }

  /** F034, F048: no single damage brings back an older vote. */
  @Test
  void anyFlippedBitChangesNothing() {
    byte[] content = voted(1).content(VoteFile.NAME);
    for (long bit = 0; bit < content.length * 8L; bit++) {
      boolean interesting = bit % (VoteFile.SLOT_BYTES * 8) < 1_000 || bit % 997 == 0;
      if (interesting) {
        SimulatedDisk disk = disk(bit);
        disk.plant(VoteFile.NAME, content);
        disk.flipBit(VoteFile.NAME, bit);
        assertThat(load(disk, true)).isEqualTo(OLD);
      }
    }
  }

  @Test
  void oneLostSlotIsMended() {
    for (int slot = 0; slot < 2; slot++) {
      SimulatedDisk disk = voted(1);
      disk.zero(VoteFile.NAME, slot * VoteFile.SLOT_BYTES, (slot + 1) * VoteFile.SLOT_BYTES);
      assertThat(load(disk, true)).isEqualTo(OLD);
      disk.zero(VoteFile.NAME, (1 - slot) * VoteFile.SLOT_BYTES, (2 - slot) * VoteFile.SLOT_BYTES);
      assertThat(load(disk, true)).isEqualTo(OLD);
    }
  }

  /** F048. */
  @Test
  void damagedFileIsRefused() {
    SimulatedDisk disk = voted(1);
    disk.zero(VoteFile.NAME, 0, 2 * VoteFile.SLOT_BYTES);
    assertThatThrownBy(() -> VoteFile.open(disk, true))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("/vote: both slots of the vote file are damaged")
        .hasMessageContaining("as a new member");
    disk.plant(VoteFile.NAME, new byte[100]);
    assertThatThrownBy(() -> VoteFile.open(disk, true))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("it has 100 bytes");
  }

  /** F048: neither vote nor log is believed to be new when the other one is not. */
  @Test
  void voteAndLogBelongTogether() {
    SimulatedDisk disk = voted(1);
    assertThatThrownBy(() -> VoteFile.open(disk, false))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("the log is missing")
        .hasMessageContaining("term 3");
    disk.delete(VoteFile.NAME);
    assertThatThrownBy(() -> VoteFile.open(disk, true))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("the vote file is missing");
    assertThat(disk.exists(VoteFile.NAME)).isFalse();
  }

  @Test
  void termNeverFalls() {
    try (VoteFile votes = VoteFile.open(voted(1), true)) {
      assertThatThrownBy(() -> votes.store(new HardState(2, null)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(votes.load()).isEqualTo(OLD);
    }
  }

  private static void arm(SimulatedDisk disk, int call, int variant) {
    if (variant % 2 == 0) {
      disk.crashBefore(call);
    } else {
      disk.crashAfter(call);
    }
  }

  private static SimulatedDisk disk(long seed) {
    return SimulatedDisk.create(new SplittableRandom(seed));
  }

  private static SimulatedDisk voted(long seed) {
    SimulatedDisk disk = disk(seed);
    try (VoteFile votes = VoteFile.open(disk, false)) {
      votes.store(new HardState(2, null));
      votes.store(OLD);
    }
    return disk;
  }

  private static HardState load(SimulatedDisk disk, boolean logExists) {
    try (VoteFile votes = VoteFile.open(disk, logExists)) {
      return votes.load();
    }
  }
}
