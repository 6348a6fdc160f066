package io.kvorum.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Power loss, I/O errors and full disks at every call that the store makes of its disk (FAULTS
 * F043, F061, F070). Whatever is found afterwards under the name of a snapshot is whole, what was
 * reported as published is there, and everything works again.
 */
class SnapshotCrashTest {
  private static final int CHUNK_BYTES = 600;

  /** Takes, receives, deletes; and remembers what it was told. */
  private static final class Scenario {
    final SimulatedDisk disk;
    SnapshotStore store;
    final List<Manifest> told = new ArrayList<>();

    Scenario(long seed) {
      disk = SimulatedDisk.create(new SplittableRandom(seed));
      store = open();
    }

    SnapshotStore open() {
      return SnapshotStore.open(disk, TestSnapshots.CLUSTER);
    }

    void run() {
      store = open();
      told.add(TestSnapshots.take(store, 10));
      told.add(TestSnapshots.receive(store, TestSnapshots.manifest(11), CHUNK_BYTES));
      forgetAndRetain(1);
      told.add(TestSnapshots.take(store, 12));
      store.receive(TestSnapshots.manifest(14)).accept(0, 0, new byte[100]);
      told.add(TestSnapshots.receive(store, TestSnapshots.manifest(13), CHUNK_BYTES));
      forgetAndRetain(2);
    }

    /** From the call on they may be gone. */
    private void forgetAndRetain(int count) {
      told.subList(0, told.size() - count).clear();
      store.retain(count, manifest -> false);
    }

    void checkAndGoOn() {
      store = open();
      assertThat(store.damaged()).isEmpty();
      assertThat(store.published()).containsAll(told);
      store.published().forEach(store::verify);
      // What was reported is durable, also if power goes right now.
      List<Manifest> reported = store.published();
      disk.crash();
      disk.restart();
      store = open();
      assertThat(store.published()).isEqualTo(reported);

      TestSnapshots.receive(store, TestSnapshots.manifest(13), CHUNK_BYTES);
      TestSnapshots.take(store, 20);
      store.retain(1, manifest -> false);
      store.verify(TestSnapshots.manifest(20));
      assertThat(disk.directories()).containsExactly(TestSnapshots.manifest(20).name());
    }
  }

  @Test
  void everyCrashLeavesWholeSnapshots() {
    int crashes = 0;
    for (long seed = 1; seed <= 3; seed++) {
      boolean completed = false;
      for (int call = 1; !completed; call++) {
        int at = call;
        completed = crash(seed, disk -> disk.crashBefore(at), "before call " + call);
        crash(seed + 1000, disk -> disk.crashAfter(at), "after call " + call);
        crashes++;
      }
    }
    assertThat(crashes).isGreaterThan(200);
  }

  private static boolean crash(long seed, Consumer<SimulatedDisk> fault, String replay) {
    Scenario scenario = new Scenario(seed);
    fault.accept(scenario.disk);
    boolean completed = false;
    try {
      scenario.run();
      completed = true;
    } catch (SimulatedCrash crash) {
      assertThat(scenario.disk.isDown()).as(crash.getMessage()).isTrue();
    }
    scenario.disk.crash();
    scenario.disk.restart();
    goOn(scenario, "seed " + seed + " " + replay);
    return completed;
  }

  /** The crash of a crash: also clearing away may be interrupted anywhere. */
  @Test
  void openingMayCrashToo() {
    for (long seed = 1; seed <= 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Scenario scenario = new Scenario(seed);
      scenario.disk.crashBefore(1 + random.nextInt(100));
      try {
        scenario.run();
      } catch (SimulatedCrash crash) {
        assertThat(scenario.disk.isDown()).as(crash.getMessage()).isTrue();
      }
      scenario.disk.crash();
      boolean opened = false;
      for (int call = 1; !opened; call++) {
        scenario.disk.restart();
        scenario.disk.crashBefore(call);
        try {
          scenario.open();
          opened = true;
        } catch (SimulatedCrash crash) {
          assertThat(crash).hasMessageContaining("power lost");
        }
      }
      scenario.disk.crash();
      scenario.disk.restart();
      goOn(scenario, "seed " + seed);
    }
  }

  /** The process ends, the machine does not; or it goes on; or power is lost a little later. */
  @Test
  void everyErrorLeavesWholeSnapshots() {
    for (long seed = 1; seed <= 3; seed++) {
      boolean completed = false;
      for (int call = 1; !completed; call++) {
        int at = call;
        completed = error(seed, disk -> disk.failAt(at), "call " + call);
        error(seed, disk -> disk.failFrom(at), "from call " + call);
      }
    }
  }

  private static boolean error(long seed, Consumer<SimulatedDisk> fault, String replay) {
    Scenario scenario = new Scenario(seed);
    fault.accept(scenario.disk);
    boolean completed = false;
    try {
      scenario.run();
      completed = true;
    } catch (UncheckedIOException e) {
      assertThat(e).hasMessageContaining("Input/output error");
    }
    scenario.disk.restart();
    goOn(scenario, "seed " + seed + " " + replay);
    return completed;
  }

  /** FAULTS F070: the same process goes on once there is space. */
  @Test
  void fullDiskIsFollowedByWorkInTheSameProcess() {
    int full = 0;
    for (int space = 0; space < 20_000; space += 200) {
      Scenario scenario = new Scenario(space);
      Manifest first = TestSnapshots.take(scenario.store, 5);
      scenario.disk.spaceLeft(space);
      try {
        TestSnapshots.take(scenario.store, 6);
        TestSnapshots.receive(scenario.store, TestSnapshots.manifest(7), CHUNK_BYTES);
      } catch (DiskFullException e) {
        full++;
        assertThat(scenario.store.published()).contains(first);
        assertThat(scenario.disk.directories()).allMatch(name -> !name.endsWith(".part"));
      }
      scenario.disk.quotaBytes(Long.MAX_VALUE);
      scenario.store.verify(TestSnapshots.take(scenario.store, 8));
      goOn(scenario, "space " + space);
    }
    assertThat(full).isGreaterThan(10);
  }

  private static void goOn(Scenario scenario, String replay) {
    try {
      scenario.checkAndGoOn();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("replay: " + replay, e);
    }
  }
}
