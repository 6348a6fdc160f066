package io.kvorum.server.simulated;

import io.kvorum.node.Loop;

/** A lane of a simulated machine: in order, each task a little later, none after the crash. */
final class SimulatedLane implements Loop {
  private static final long DELAY_NANOS_MAX = 50_000;

  private final VirtualTime time;
  private final SimulatedMachine machine;
  private final int life;
  private long lastAtNanos;

  SimulatedLane(VirtualTime time, SimulatedMachine machine) {
    this.time = time;
    this.machine = machine;
    this.life = machine.life();
  }

  @Override
  public void execute(Runnable task) {
    long at = time.nowNanos() + time.random().nextLong(DELAY_NANOS_MAX);
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
