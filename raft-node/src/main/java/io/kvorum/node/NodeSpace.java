package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftConfig;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus.RoleName;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does about the space on its disk, and on that of the others (docs/adr/0017): tells
 * them when it has little, has the core let those lead who have more, and says what may not be
 * taken meanwhile. Nothing is said as long as all have enough. Used on the loop.
 */
final class NodeSpace {
  private static final Logger LOG = LoggerFactory.getLogger(NodeSpace.class);

  /** Between two looks: what a fast disk takes in that time is less than a segment. */
  private static final int LOOK_TICKS = 8;

  /** A member that says nothing for so many election timeouts is low no more, as far as we know. */
  private static final int CLAIM_ELECTIONS = 4;

  private final RaftCore core;
  private final NodeId self;
  private final int electionTicks;
  private final Transport transport;
  private final LogWriter writer;
  private final Lane loop;
  private final StateChecks checks;
  private final @Nullable SpacePorts ports;
  private final Consumer<Runnable> step;

  /** Members that have said they are low, and for how many ticks that counts. */
  private final Map<NodeId, Integer> low = new TreeMap<>();

  private boolean wasLow;
  private boolean isLooking;
  private int lookTicks;
  private int tellTicks;

  /**
   * Watches the disk that the ports name, if they do; else it hears of the others' only.
   *
   * @param step runs on the loop what may change the core, unless the node has stopped
   */
  NodeSpace(
      RaftCore core,
      RaftConfig config,
      NodePorts<?> node,
      LogWriter writer,
      Consumer<Runnable> step) {
    SpacePorts given = node.space();
    this.core = core;
    this.self = config.self();
    this.electionTicks = config.electionTicks();
    this.transport = node.transport();
    this.writer = writer;
    this.loop = node.loop();
    this.checks = node.stateMachine().checks();
    this.ports = given == null || !given.space().config().isOn() ? null : given;
    this.step = step;
  }

  /** Gives up what the disk has in reserve; false if there is nothing. Not on the loop. */
  static boolean relieve(@Nullable SpacePorts ports) {
    return ports != null && ports.space().relieve();
  }

  void tick() {
    boolean isLow = ports != null && watch(ports);
    if (ports == null && lookTicks-- <= 0) {
      lookTicks = LOOK_TICKS;
      writer.resume();
    }
    low.replaceAll((node, ticks) -> ticks - 1);
    low.values().removeIf(ticks -> ticks <= 0);
    Set<NodeId> reluctant = new TreeSet<>(low.keySet());
    // Who doubts its state takes no snapshots, and could help nobody who is behind its log.
    if (isLow || checks.isDoubted()) {
      reluctant.add(self);
    }
    core.reluctant(reluctant);
  }

  /** Looks at the disk now and then, and tells the others; whether it is low. */
  private boolean watch(SpacePorts watched) {
    if (!isLooking && lookTicks-- <= 0) {
      isLooking = true;
      lookTicks = LOOK_TICKS;
      watched.files().execute(() -> look(watched.space()));
    }
    boolean isLow = watched.space().status().isLow();
    if (isLow != wasLow) {
      wasLow = isLow;
      tellTicks = 0;
      changed(watched.space(), isLow);
    }
    if (isLow && tellTicks-- <= 0) {
      // Again and again: a frame may be lost, and a member that starts knows nothing.
      tellTicks = electionTicks;
      tell(true);
    }
    return isLow;
  }

  /** Where a disk may take its time. */
  private void look(DiskSpace space) {
    try {
      space.look();
    } catch (UncheckedIOException unknown) {
      LOG.warn("{}: the space of {} is not known: {}", self, space.location(), unknown.toString());
    } finally {
      loop.execute(() -> step.accept(this::looked));
    }
  }

  private void looked() {
    isLooking = false;
    writer.resume();
  }

  private void changed(DiskSpace space, boolean isLow) {
    long usable = space.status().usableBytes();
    if (isLow) {
      LOG.warn(
          "{}: {} has {} bytes left, less than the low mark of {}: what needs space is refused, and"
              + " another member is to lead",
          self,
          space.location(),
          usable,
          space.config().lowBytes());
    } else {
      LOG.info("{}: {} has {} bytes again", self, space.location(), usable);
      tell(false);
    }
  }

  private void tell(boolean isLow) {
    SnapshotFrame.Space frame = new SnapshotFrame.Space(isLow);
    for (NodeId member : core.membership().members()) {
      if (!member.equals(self)) {
        transport.send(member, frame);
      }
    }
    transport.flush();
  }

  void received(NodeId from, SnapshotFrame.Space frame) {
    if (frame.low()) {
      low.put(from, CLAIM_ELECTIONS * electionTicks);
    } else {
      low.remove(from);
    }
  }

  /**
   * Why this leader takes nothing that needs space; null if it does, or does not lead. It may not
   * fill its own disk, nor those of so many voters that then nothing could be committed any more,
   * not even what frees space.
   */
  @Nullable Refusal refusal() {
    if (core.role() != RoleName.LEADER) {
      return null;
    }
    boolean isLow = ports != null && ports.space().status().isLow();
    boolean spares = core.sparesReluctant();
    if (!isLow && (spares || low.isEmpty())) {
      return null;
    }
    return new Refusal.NoSpace(
        ports != null && isLow
            ? ofOwn(ports.space())
            : self + " leads and has space, but too many voters have little: " + low.keySet(),
        spares);
  }

  private String ofOwn(DiskSpace space) {
    return self
        + " has "
        + space.status().usableBytes()
        + " bytes left for "
        + space.location()
        + ", the low mark is "
        + space.config().lowBytes()
        + "; with "
        + space.config().resumeBytes()
        + " it goes on";
  }

  SpaceStatus status() {
    SpaceStatus seen = ports == null ? SpaceStatus.UNWATCHED : ports.space().status();
    return seen.withBlocked(writer.isBlocked());
  }
}
