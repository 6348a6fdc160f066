package io.kvorum.simulator.world;

import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.CorruptLogException;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.Feature;
import io.kvorum.node.Features;
import io.kvorum.node.RemovedException;
import io.kvorum.raft.NodeId;
import io.kvorum.server.ServerConfig;
import io.kvorum.simulator.plan.NodeFile;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.trace.SimEvent;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A machine with a disk, a clock, and at most one process of a node at a time. Decides what a
 * failure of that process means: the fault that was made, or a violation.
 */
final class Machine {
  private final World world;
  private final NodeId id;
  private final int number;
  private final ServerConfig config;
  private final SplittableRandom random;
  private final SimulatedDisk disk;
  private final TablesMedium tables;
  private final MachineClock clock;
  private @Nullable NodeProcess process;
  private int life;
  private long slowDiskNanosMax;

  /** Rises when the disk becomes another one: what was sent to the old one is not for the new. */
  private int diskNumber;

  /** Whether the disk was told to fail: then the node may stop itself over that. */
  private boolean diskFails;

  /** Whether something was lost or damaged: then the node may refuse to start, or stop. */
  private boolean damaged;

  /** Whether its log was damaged, and the others may not have given back yet what is lost. */
  private boolean lacksLog;

  /** Whether it uses the name of a member whose memory it does not have. */
  private boolean stranger;

  /** Whether it has forgotten, unnoticed, what it once promised. */
  private boolean forgetful;

  /** Whether the group has removed its node, for good. */
  private boolean removed;

  /** Whether a fault has changed the state, and it is not known to be right again. */
  private boolean doubtful;

  private SimulatedDisk.@Nullable Image intact;
  private SimulatedDisk.@Nullable Image copy;

  Machine(World world, int number, ServerConfig config, TablesMedium tables) {
    this.world = world;
    this.number = number;
    this.id = config.nodeId();
    this.config = config;
    this.tables = tables;
    this.random = world.streams().of("machine " + id);
    this.disk = SimulatedDisk.create(world.streams().of("disk " + id));
    this.clock = new MachineClock(world.time(), random.nextLong(1L << 50));
    Tuning tuning = world.options().tuning();
    this.slowDiskNanosMax =
        number < tuning.slowDisks() ? tuning.slowDiskNanosMax() : SimLane.WAKE_NANOS_MAX;
  }

  NodeId id() {
    return id;
  }

  /** From 0. */
  int number() {
    return number;
  }

  World world() {
    return world;
  }

  ServerConfig config() {
    return config;
  }

  SimulatedDisk disk() {
    return disk;
  }

  TablesMedium tables() {
    return tables;
  }

  MachineClock clock() {
    return clock;
  }

  SplittableRandom random() {
    return random;
  }

  int diskNumber() {
    return diskNumber;
  }

  boolean isRemoved() {
    return removed;
  }

  boolean isStranger() {
    return stranger;
  }

  /** The process, if one runs. */
  @Nullable NodeProcess process() {
    return process;
  }

  /** What its version has. */
  Features features() {
    boolean lacks = world.options().tuning().snapshots().lackingNode() == number + 1;
    return lacks ? Features.ALL.without(Features.of(Feature.STATE_CHECKS)) : Features.ALL;
  }

  boolean isUp() {
    return process != null;
  }

  long slowDiskNanosMax() {
    return slowDiskNanosMax;
  }

  /** Starts a process, after a loss of power or the end of an earlier one. */
  void start() {
    if (process != null) {
      return;
    }
    if (life > 0 || disk.isDown()) {
      disk.restart();
    }
    NodeProcess started = new NodeProcess(this, life++);
    process = started;
    world.journal().tell(new SimEvent.Started(world.journal().now(), id, started.life()));
    try {
      started.open();
      if (!stranger) {
        // It goes on from what it has. What it had before the damage is the past from now on.
        intact = null;
      }
    } catch (RuntimeException | SimulatedCrash refused) {
      started.refused(refused);
    }
  }

  /** The process is killed: the kernel keeps what was written and resets the connections. */
  void kill(String why) {
    if (process != null) {
      ended(why, true);
    }
  }

  /** Power is lost. */
  void losePower(String why) {
    disk.crash();
    if (process != null) {
      ended(why, false);
    }
  }

  private void ended(String why, boolean resets) {
    NodeProcess gone = process;
    process = null;
    clock.dropTimers();
    if (gone != null) {
      gone.forget();
    }
    tables.crash();
    world.journal().tell(new SimEvent.Stopped(world.journal().now(), id, why));
    world.peers().processEnded(this, resets);
    world.clients().processEnded(this, resets);
  }

  /** Says whether a failure of the node is what a fault had to lead to. */
  boolean explains(Throwable failure) {
    if (failure instanceof SimulatedCrash) {
      return true;
    }
    boolean ofDisk =
        failure instanceof UncheckedIOException
            || failure.getCause() instanceof UncheckedIOException;
    if (failure instanceof RemovedException) {
      removed = true;
      return true;
    }
    boolean ofDamage =
        failure instanceof DataDirectoryException || failure instanceof CorruptLogException;
    return (diskFails && ofDisk) || (damaged && (ofDamage || ofDisk)) || stranger || forgetful;
  }

  // ---- faults ----

  void failDiskAtCall(int call) {
    diskFails = true;
    disk.failFrom(call);
  }

  void failDiskAtRandom(int perMille) {
    diskFails = true;
    disk.failPerMille(perMille);
  }

  void fillDisk(int bytesLeft) {
    diskFails = true;
    disk.spaceLeft(bytesLeft);
  }

  void freeDisk() {
    disk.quotaBytes(Long.MAX_VALUE);
  }

  void slowDisk(long nanosMax) {
    slowDiskNanosMax = Math.max(1, nanosMax);
    if (process != null) {
      process.slowDisk(slowDiskNanosMax);
    }
  }

  /** Before something is lost or damaged for the first time: what the operator can bring back. */
  private void keepIntact() {
    if (intact == null) {
      intact = disk.image();
    }
    damaged = true;
  }

  /** Something on the disk of the stopped machine is lost or damaged. */
  void damage(NodeFile file, Runnable how) {
    if (!file.isCopy()) {
      keepIntact();
    }
    lacksLog |= file.isSegment();
    how.run();
  }

  /** One byte of the state changes; whatever is told of it may be wrong from now on. */
  void flipState(double position) {
    doubtful |= tables.flip(position);
  }

  /** Whether its state may be another one than it should be. */
  boolean isDoubtful() {
    return doubtful;
  }

  /** Its state is as it should be. */
  void trusted() {
    doubtful = false;
  }

  /**
   * Whether what it says to clients may be wrong, and nobody can hold that against it: it has not
   * found out yet.
   */
  boolean isUnknowinglyWrong() {
    NodeProcess running = process;
    return doubtful
        && (running == null
            || !running.isOpen()
            || !running.serving().node().stateStatus().isQuarantined());
  }

  /** All that the state machine keeps is lost; the log still has it. */
  void loseTables() {
    tables.lose();
  }

  /** The stopped machine gets an empty disk. */
  void wipe() {
    keepIntact();
    disk.restore(SimulatedDisk.Image.empty());
    tables.lose();
    diskNumber++;
    stranger = true;
  }

  void copyDisk() {
    copy = disk.image();
  }

  boolean hasCopy() {
    return copy != null;
  }

  /** The stopped machine gets the disk as it was copied. Its tables are built anew. */
  void restoreCopy() {
    if (copy == null) {
      throw new IllegalStateException("no copy was made");
    }
    forgetful = true;
    disk.restore(copy);
    tables.lose();
  }

  /** Nothing is wrong with clock, disk and threads any more; what was lost is not back yet. */
  void calm() {
    diskFails = false;
    disk.calm();
    freeDisk();
    slowDisk(SimLane.WAKE_NANOS_MAX);
    clock.drift(0);
    if (process != null) {
      process.resume();
    }
  }

  /**
   * What an operator does: brings back what was lost, and starts the machine if it is down. One
   * that ran on with damage and met it only later cannot be helped, and stays down.
   */
  void repair() {
    if (process != null && process.isEnding()) {
      kill("stopped itself");
    }
    if (forgetful) {
      // Others may wait for ever for what it once said it had: it is better gone.
      kill("stopped by the operator");
      return;
    }
    if (intact != null) {
      kill("stopped by the operator");
      disk.restore(intact);
      diskNumber += stranger ? 1 : 0;
      stranger = false;
      damaged = false;
      lacksLog = false;
    }
    start();
  }

  /** Whether nothing of it was lost or damaged. */
  boolean isSound() {
    return !damaged && !stranger && !forgetful;
  }

  /**
   * Whether its log was damaged and may lack something still. More of them at a time than a
   * minority, and nobody could be elected any more.
   */
  boolean lacksLog() {
    NodeProcess running = process;
    if (running != null && running.isOpen()) {
      lacksLog = running.serving().node().status().repairing();
    }
    return lacksLog;
  }

  /** Whether it runs, and with its own memory. */
  boolean isWell() {
    return process != null && !process.isEnding() && !stranger && !forgetful;
  }
}
