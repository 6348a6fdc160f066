package io.kvorum.node;

import io.kvorum.disk.Disk;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The space on the disk of one node: measures it, and keeps or gives up the reserve. What the
 * system says last always counts, so nothing has to be told when space returns. Any thread but the
 * loop, which must not wait for a disk.
 */
public final class DiskSpace {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

  private final Disk disk;
  private final SpaceConfig config;
  private final ReserveFile reserve;
  private volatile SpaceStatus status = SpaceStatus.UNWATCHED;

  private DiskSpace(Disk disk, SpaceConfig config) {
    this.disk = disk;
    this.config = config;
    this.reserve = new ReserveFile(disk, config.reserveBytes());
  }

  /**
   * Looks for the first time, before anything else of the node is opened: on a full disk the
   * reserve makes room for its start. Makes none yet.
   */
  static DiskSpace open(Disk disk, SpaceConfig config) {
    DiskSpace space = new DiskSpace(disk, config);
    if (config.isOn()) {
      space.measure();
    }
    return space;
  }

  SpaceConfig config() {
    return config;
  }

  String location() {
    return disk.location();
  }

  /** As of the last look. Any thread. */
  SpaceStatus status() {
    return status;
  }

  /** Looks, and makes the reserve if there is space enough beside it. */
  synchronized SpaceStatus look() {
    measure();
    long spare = status.usableBytes() - config.resumeBytes();
    boolean isWanted = config.reserveBytes() > 0 && !status.reserve() && !status.isLow();
    if (isWanted && spare >= config.reserveBytes()) {
      make();
      measure();
    }
    return status;
  }

  private synchronized void measure() {
    long usable = disk.usableBytes();
    SpaceState state = config.next(status.state(), usable);
    status = new SpaceStatus(state, usable, reserve.isThere(), false);
    if (state == SpaceState.CRITICAL) {
      relieve();
    }
  }

  private void make() {
    try {
      reserve.make();
    } catch (UncheckedIOException notNow) {
      // It is only a precaution. The next look tries again.
      LOG.warn("the reserve could not be made: {}", notNow.getMessage());
    }
  }

  /**
   * Something could not be written for lack of space, or soon could not: gives up the reserve.
   *
   * @return whether there was one
   */
  synchronized boolean relieve() {
    if (!reserve.isThere()) {
      return false;
    }
    try {
      reserve.giveUp();
    } catch (UncheckedIOException stays) {
      LOG.warn("the reserve could not be given up: {}", stays.getMessage());
      return false;
    }
    LOG.warn(
        "{} is all but full: the reserve of {} bytes was given up",
        disk.location(),
        config.reserveBytes());
    status = new SpaceStatus(status.state(), disk.usableBytes(), false, false);
    return true;
  }
}
