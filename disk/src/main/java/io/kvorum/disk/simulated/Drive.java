package io.kvorum.disk.simulated;

import io.kvorum.disk.DiskFullException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What all directories of one simulated machine share: power, space, faults, counters. */
final class Drive {
  final RandomGenerator random;
  final Directory root = new Directory();
  private final Map<Call, Long> counts = new EnumMap<>(Call.class);
  private long calls;

  private long crashCall = Long.MAX_VALUE;
  private boolean crashAfter;
  private long failCall = Long.MAX_VALUE;
  private boolean failForEver;
  private int failPerMille;

  private long quotaBytes = Long.MAX_VALUE;

  /** From this call on nothing has space any more. */
  private long fullCall = Long.MAX_VALUE;

  private boolean down;

  /** Rises with each start of the machine's processes; a handle of an older one is dead. */
  private int generation;

  Drive(RandomGenerator random) {
    this.random = random;
  }

  /**
   * One call that changes durable state: counts it, and crashes or fails where that was asked for.
   *
   * @param effect what the call does
   * @param failing what is left of it when it fails: nothing, or a part
   */
  synchronized void call(Call kind, String target, Runnable effect, Runnable failing) {
    checkPower(generation);
    calls++;
    counts.merge(kind, 1L, Long::sum);
    if (calls == crashCall) {
      if (crashAfter) {
        effect.run();
      }
      crash();
      throw new SimulatedCrash(
          "power lost "
              + (crashAfter ? "after" : "before")
              + " call "
              + calls
              + ", "
              + kind
              + " of "
              + target);
    }
    if (calls == failCall || (failForEver && calls > failCall) || failsByChance()) {
      failing.run();
      String message = "call " + calls + ", " + kind + " of " + target + ": Input/output error";
      throw new UncheckedIOException(message, new IOException(message));
    }
    if (calls >= fullCall && (kind == Call.CREATE || kind == Call.LINK)) {
      failing.run();
      throw full(target);
    }
    effect.run();
  }

  private static DiskFullException full(String target) {
    String message = "cannot write " + target + ": the disk is full (simulated)";
    return new DiskFullException(message, new IOException("No space left on device"));
  }

  private boolean failsByChance() {
    return failPerMille > 0 && random.nextInt(1000) < failPerMille;
  }

  synchronized void checkPower(int handleGeneration) {
    if (down) {
      throw new SimulatedCrash("the machine is down");
    }
    if (handleGeneration != generation) {
      throw new SimulatedCrash("this handle belongs to a process that is gone");
    }
  }

  /** Throws unless {@code more} bytes fit; called with the effect not yet visible. */
  void reserve(long more, String target) {
    if (more > usableBytes()) {
      throw full(target);
    }
  }

  synchronized long usableBytes() {
    if (calls + 1 >= fullCall) {
      return 0;
    }
    return quotaBytes == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.max(0, quotaBytes - root.usedBytes());
  }

  synchronized void crash() {
    if (!down) {
      down = true;
      root.losePower(random);
    }
  }

  synchronized void restart() {
    generation++;
    down = false;
    calm();
    root.dropLocks();
  }

  synchronized void calm() {
    crashCall = Long.MAX_VALUE;
    failCall = Long.MAX_VALUE;
    failForEver = false;
    failPerMille = 0;
  }

  synchronized void crashAt(long call, boolean after) {
    crashCall = calls + call;
    crashAfter = after;
  }

  synchronized void failAt(long call, boolean forEver) {
    failCall = calls + call;
    failForEver = forEver;
  }

  synchronized void failPerMille(int rate) {
    failPerMille = rate;
  }

  synchronized boolean isDown() {
    return down;
  }

  synchronized void quotaBytes(long bytes) {
    quotaBytes = bytes;
    fullCall = Long.MAX_VALUE;
  }

  synchronized void fullFrom(long call) {
    fullCall = calls + call;
  }

  synchronized int generation() {
    return generation;
  }

  synchronized long count(@Nullable Call kind) {
    return kind == null ? calls : counts.getOrDefault(kind, 0L);
  }
}
