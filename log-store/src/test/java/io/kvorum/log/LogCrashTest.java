package io.kvorum.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.Call;
import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.raft.EntryId;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Power loss, I/O errors and full disks at every call that the log makes of its disk. What is found
 * afterwards must be a prefix of what was appended with everything that was synced, and the log
 * must go on from there.
 */
class LogCrashTest {
  private static final int STEPS = 20;

  /** F032, F037, F043, F054: crash before and after call 1, 2, 3 … until a run completes. */
  @Test
  void everyCrashLeavesWhatWasSynced() {
    for (long seed = 1; seed <= 4; seed++) {
      boolean completed = false;
      for (int call = 1; !completed; call++) {
        completed = crashAt(call, false, seed);
        crashAt(call, true, seed);
      }
    }
  }

  private static boolean crashAt(int call, boolean afterwards, long seed) {
    String replay = "call " + call + " afterwards " + afterwards + " seed " + seed;
    Scenario scenario = new Scenario(seed * 100_000 + call, TestLog.CONFIG);
    if (afterwards) {
      scenario.disk.crashAfter(call);
    } else {
      scenario.disk.crashBefore(call);
    }
    try {
      scenario.open();
      run(scenario, STEPS, seed);
    } catch (SimulatedCrash crash) {
      recoverAndGoOn(scenario, seed, replay);
      return false;
    }
    return true;
  }

  /** The crash of a crash: also recovery may be interrupted anywhere. */
  @Test
  void recoveryMayCrashToo() {
    for (long seed = 1; seed <= 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Scenario scenario = new Scenario(seed, TestLog.CONFIG);
      scenario.open();
      scenario.disk.crashBefore(20 + random.nextInt(200));
      try {
        run(scenario, 1_000, seed);
      } catch (SimulatedCrash crash) {
        assertThat(crash).hasMessageContaining("power lost");
      }
      boolean recovered = false;
      for (int call = 1; !recovered; call++) {
        scenario.disk.restart();
        if (random.nextBoolean()) {
          scenario.disk.crashBefore(call);
        } else {
          scenario.disk.crashAfter(call);
        }
        try {
          scenario.recover();
          recovered = true;
        } catch (SimulatedCrash crash) {
          assertThat(crash).hasMessageContaining("power lost");
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("replay: seed " + seed + " call " + call, e);
        }
      }
      recoverAndGoOn(scenario, seed, "seed " + seed);
    }
  }

  /** F037: several segments go at once, and a crash in between leaves no hole. */
  @Test
  void prefixTruncationMayCrashAnywhere() {
    boolean completed = false;
    for (int call = 1; !completed; call++) {
      for (int variant = 0; variant < 12; variant++) {
        Scenario scenario = new Scenario(variant, TestLog.CONFIG);
        scenario.open();
        scenario.append(0, 90, 700);
        scenario.sync();
        assertThat(scenario.log().segments()).hasSizeGreaterThan(5);
        if (variant % 2 == 0) {
          scenario.disk.crashBefore(call);
        } else {
          scenario.disk.crashAfter(call);
        }
        completed = false;
        try {
          scenario.truncatePrefix(70);
          completed = true;
        } catch (SimulatedCrash crash) {
          recoverAndGoOn(scenario, variant, "call " + call + " variant " + variant);
        }
      }
    }
  }

  /** F042, F045, F046: an error at call 1, 2, 3 … kills the store, and nothing else. */
  @Test
  void everyErrorStopsTheStore() {
    for (long seed = 1; seed <= 3; seed++) {
      boolean completed = false;
      for (int call = 1; !completed; call++) {
        completed = failAt(call, seed, false);
        failAt(call, seed, true);
      }
    }
  }

  private static boolean failAt(int call, long seed, boolean forEver) {
    String replay = "call " + call + " seed " + seed + " for ever " + forEver;
    Scenario scenario = new Scenario(seed * 100_000 + call, TestLog.CONFIG);
    if (forEver) {
      scenario.disk.failFrom(call);
    } else {
      scenario.disk.failAt(call);
    }
    try {
      scenario.open();
      run(scenario, STEPS, seed);
    } catch (UncheckedIOException e) {
      if (scenario.log() != null) {
        assertDead(scenario.log(), e);
      }
      // The process ends, the machine does not: what a failed sync has lost looks fine now.
      recoverAndGoOn(scenario, seed, replay);
      return false;
    }
    // Without an exception it is over only if the call was never made: an error while the next
    // segment is prepared is no failure yet.
    return scenario.disk.calls() < call;
  }

  private static void assertDead(LogStore log, RuntimeException cause) {
    // close() lets go of the store, and then it says that it is closed.
    try {
      log.last();
    } catch (IllegalStateException closed) {
      return;
    } catch (RuntimeException e) {
      assertThat(e).isSameAs(cause);
    }
    assertThatThrownBy(log::sync).isSameAs(cause);
    assertThatThrownBy(() -> log.append(TestLog.entries(1, 1, 1, 1))).isSameAs(cause);
    assertThatThrownBy(() -> log.truncatePrefix(1)).isSameAs(cause);
    assertThatThrownBy(() -> log.entries(1, 2, 1)).isSameAs(cause);
    assertThatThrownBy(() -> log.reset(EntryId.ZERO)).isSameAs(cause);
  }

  /** F045: full at any number of bytes; works again once there is space. */
  @Test
  void fullDiskStopsTheStoreUntilThereIsSpace() {
    int full = 0;
    for (int quota = 0; quota < 200_000; quota += 3_000) {
      Scenario scenario = new Scenario(quota, TestLog.CONFIG);
      scenario.disk.quotaBytes(quota);
      try {
        scenario.open();
        for (int i = 0; i < 30; i++) {
          scenario.append(0, 5, 700);
          scenario.sync();
        }
      } catch (UncheckedIOException e) {
        assertThat(e).hasMessageContaining("full");
        full++;
        scenario.disk.quotaBytes(Long.MAX_VALUE);
        recoverAndGoOn(scenario, quota, "quota " + quota);
      }
    }
    assertThat(full).isGreaterThan(30);
  }

  /** F045: the batch that met the full disk has left nothing. */
  @Test
  void fullDiskIsMetBeforeTheBatchIsWritten() {
    Scenario scenario = new Scenario(1, TestLog.CONFIG);
    scenario.disk.quotaBytes(40 << 10);
    scenario.open();
    scenario.append(0, 15, 700);
    scenario.sync();
    long writes = scenario.disk.count(Call.WRITE);
    scenario.disk.quotaBytes(1);
    // The second segment was prepared when the log was opened; the third one is not to be had.
    scenario.append(0, 10, 700);
    scenario.sync();
    assertThatThrownBy(() -> scenario.append(0, 10, 700)).hasMessageContaining("full");
    assertThat(scenario.disk.count(Call.WRITE)).isEqualTo(writes + 3);
  }

  private static void run(Scenario scenario, int steps, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < steps; i++) {
      scenario.step(random);
    }
  }

  private static void recoverAndGoOn(Scenario scenario, long seed, String replay) {
    try {
      scenario.disk.restart();
      scenario.recover();
      // What a new start has reported is durable, also if power goes right now.
      scenario.disk.crash();
      scenario.disk.restart();
      scenario.recover();
      scenario.append(0, 3, 100);
      scenario.sync();
      scenario.disk.crash();
      scenario.disk.restart();
      scenario.recover();
      scenario.check();
      run(scenario, 5, seed);
      scenario.check();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("replay: " + replay, e);
    }
  }

  /** F055: any operations, reopening and crashing between them, against a map in memory. */
  @Property(tries = 100)
  void logEqualsItsModel(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    LogConfig config = TestLog.CONFIG.withVerifySealed(random.nextBoolean());
    Scenario scenario = new Scenario(seed, config.withCacheBytes(random.nextInt(20_000)));
    scenario.open();
    for (int i = 0; i < 60; i++) {
      if (random.nextInt(10) == 0) {
        if (random.nextBoolean()) {
          scenario.disk.crash();
        }
        scenario.disk.restart();
        scenario.recover();
      } else {
        scenario.step(random);
      }
      scenario.check();
    }
  }
}
