package io.kvorum.server.simulated;

import io.kvorum.node.Loop;

/** A lane of a simulated machine: in order, each task a little later, none after the crash. */
final class SimulatedLane implements Loop {
  static final long FAST_NANOS = 50_000;

  private final VirtualTime time;
  private final SimulatedMachine machine;
  private final int life;
  private final long delayNanosMax;
  private long lastAtNanos;

  /** A lane whose tasks begin up to {@code delayNanosMax} after they were given. */
  SimulatedLane(VirtualTime time, SimulatedMachine machine, long delayNanosMax) {
    this.time = time;
    this.delayNanosMax = delayNanosMax;
    this.machine = machine;
    this.life = machine.life();
  }

  @Override
  public void execute(Runnable task) {
    long at = time.nowNanos() + time.random().nextLong(delayNanosMax);
    lastAtNanos = Math.max(lastAtNanos, at);
    time.schedule(lastAtNanos - time.nowNanos(), () -> run(task));
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    time.schedule(delayNanos, () -> run(task));
  }

  private void run(Runnable task) {
    if (machine.isAlive(life)) {
      task.run();
    }
  }
}
