package io.kvorum.simulator.world;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.NodeFile;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.snapshot.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Does to the world what a fault says. What has no effect any more is not told of. */
final class Injector {
  private static final int PAGE_BYTES = 4096;

  /** So many, and a majority does not need each of them. */
  private static final int VOTERS_MIN = 3;

  private final World world;

  Injector(World world) {
    this.world = world;
  }

  /** Strikes, unless that makes no sense as things are: then nothing happens. */
  void strike(Fault planned) {
    Fault fault = world.aim().at(planned);
    if (fault != null && canStrike(fault)) {
      world.journal().tell(new SimEvent.FaultStruck(world.journal().now(), fault));
      apply(fault);
    }
  }

  private boolean canStrike(Fault fault) {
    if (fault instanceof Fault.Kill kill) {
      return machine(kill.node()).isUp();
    }
    if (fault instanceof Fault.LosePower lose) {
      return !machine(lose.node()).disk().isDown();
    }
    if (fault instanceof Fault.Restart restart) {
      return !machine(restart.node()).isUp();
    }
    if (fault instanceof Fault.Wipe wipe) {
      return world.isKnownToAll(wipe.node());
    }
    if (fault instanceof Fault.RestoreCopy restore) {
      return machine(restore.node()).hasCopy();
    }
    if (fault instanceof Fault.FlipBit flip) {
      return hits(flip.node(), flip.file()) && canSpare(flip.node(), flip.file());
    }
    if (fault instanceof Fault.FlipState flip) {
      // One at a time, so that the others are a majority that knows better.
      return machine(flip.node()).isUp()
          && world.machines().stream().noneMatch(Machine::isDoubtful);
    }
    if (fault instanceof Fault.ZeroPage zero) {
      return hits(zero.node(), zero.file()) && canSpare(zero.node(), zero.file());
    }
    if (fault instanceof Fault.ZeroTail zero) {
      return hits(zero.node(), NodeFile.LAST_SEGMENT)
          && canSpare(zero.node(), NodeFile.LAST_SEGMENT)
          && LostTail.at(machine(zero.node()).disk(), zero.position()).isNoticed();
    }
    if (fault instanceof Fault.LoseFile lose) {
      boolean isThere = lose.file() == NodeFile.STATE || fileOf(lose.node(), lose.file()) != null;
      return isThere && canSpare(lose.node(), lose.file());
    }
    return true;
  }

  /**
   * A node whose log is damaged does not vote until it is repaired: one at a time, and only where
   * the others can decide without it. Without snapshots it does not start, and the operator has a
   * copy.
   */
  private boolean canSpare(NodeId node, NodeFile file) {
    boolean repairs = world.options().tuning().snapshots().isOn();
    if (!file.isSegment() || !repairs) {
      return true;
    }
    int voters = world.group().members().voters().size();
    boolean isOnly =
        world.machines().stream()
            .noneMatch(machine -> !machine.id().equals(node) && machine.lacksLog());
    return isOnly && (voters == 1 || voters >= VOTERS_MIN);
  }

  private void apply(Fault fault) {
    if (fault instanceof Fault.Await await) {
      world.cues().await(await.moment(), () -> strike(await.then()));
      return;
    }
    if (applyToProcess(fault) || applyToDisk(fault) || applyToNetwork(fault)) {
      return;
    }
    throw new AssertionError("unknown fault " + fault);
  }

  private boolean applyToProcess(Fault fault) {
    if (fault instanceof Fault.LosePower lose) {
      machine(lose.node()).losePower("power lost");
    } else if (fault instanceof Fault.Kill kill) {
      machine(kill.node()).kill("killed");
    } else if (fault instanceof Fault.Restart restart) {
      machine(restart.node()).start();
    } else if (fault instanceof Fault.Pause pause) {
      NodeProcess process = machine(pause.node()).process();
      if (process != null) {
        process.pause(pause.nanos());
      }
    } else if (fault instanceof Fault.PauseLane pause) {
      NodeProcess process = machine(pause.node()).process();
      if (process != null) {
        process.pause(pause.lane(), pause.nanos());
      }
    } else if (fault instanceof Fault.Drift drift) {
      machine(drift.node()).clock().drift(drift.partsPerMillion());
    } else if (fault instanceof Fault.JumpForward jump) {
      machine(jump.node()).clock().jump(jump.nanos());
    } else if (fault instanceof Fault.JumpWall jump) {
      machine(jump.node()).clock().jumpWall(jump.millis());
    } else {
      return false;
    }
    return true;
  }

  private boolean applyToDisk(Fault fault) {
    if (fault instanceof Fault.LosePowerAtCall lose) {
      SimulatedDisk disk = machine(lose.node()).disk();
      if (lose.after()) {
        disk.crashAfter(lose.call());
      } else {
        disk.crashBefore(lose.call());
      }
    } else if (fault instanceof Fault.FailDiskAtCall fail) {
      machine(fail.node()).failDiskAtCall(fail.call());
    } else if (fault instanceof Fault.FailDiskAtRandom fail) {
      machine(fail.node()).failDiskAtRandom(fail.perMille());
    } else if (fault instanceof Fault.FillDisk fill) {
      machine(fill.node()).fillDisk(fill.bytesLeft());
    } else if (fault instanceof Fault.FreeDisk free) {
      machine(free.node()).freeDisk();
    } else if (fault instanceof Fault.SlowDisk slow) {
      machine(slow.node()).slowDisk(slow.nanosMax());
    } else if (fault instanceof Fault.CopyDisk copy) {
      machine(copy.node()).copyDisk();
    } else {
      return applyDamage(fault);
    }
    return true;
  }

  private boolean applyDamage(Fault fault) {
    if (fault instanceof Fault.FlipBit flip) {
      FileOnDisk file = stopped(flip.node(), flip.file());
      long bits = 8L * damageable(flip.file(), file);
      long bit = Math.min(bits - 1, (long) (flip.position() * bits));
      machine(flip.node()).damage(flip.file(), () -> file.directory().flipBit(file.name(), bit));
    } else if (fault instanceof Fault.ZeroPage zero) {
      FileOnDisk file = stopped(zero.node(), zero.file());
      int at = (int) (zero.position() * file.bytes()) / PAGE_BYTES * PAGE_BYTES;
      int end = Math.min(file.bytes(), at + PAGE_BYTES);
      machine(zero.node()).damage(zero.file(), () -> file.directory().zero(file.name(), at, end));
    } else if (fault instanceof Fault.ZeroTail zero) {
      Machine machine = machine(zero.node());
      machine.kill("killed");
      LostTail tail = LostTail.at(machine.disk(), zero.position());
      machine.damage(NodeFile.LAST_SEGMENT, tail::strike);
    } else if (fault instanceof Fault.LoseFile lose) {
      machine(lose.node()).kill("killed");
      if (lose.file() == NodeFile.STATE) {
        machine(lose.node()).loseTables();
      } else {
        FileOnDisk file = stopped(lose.node(), lose.file());
        machine(lose.node()).damage(lose.file(), () -> file.directory().lose(file.name()));
      }
    } else if (fault instanceof Fault.FlipState flip) {
      machine(flip.node()).flipState(flip.position());
    } else if (fault instanceof Fault.Wipe wipe) {
      Machine machine = machine(wipe.node());
      machine.kill("killed");
      machine.wipe();
      machine.start();
    } else if (fault instanceof Fault.RestoreCopy restore) {
      Machine machine = machine(restore.node());
      machine.kill("killed");
      machine.restoreCopy();
      machine.start();
    } else {
      return false;
    }
    return true;
  }

  private boolean applyToNetwork(Fault fault) {
    PeerNetwork peers = world.peers();
    if (fault instanceof Fault.Cut cut) {
      peers.cut(cut.from(), cut.to());
    } else if (fault instanceof Fault.Isolate isolate) {
      peers.isolate(isolate.node());
    } else if (fault instanceof Fault.Split split) {
      split(split);
    } else if (fault instanceof Fault.Break broken) {
      peers.breakConnections(broken.one(), broken.other());
    } else if (fault instanceof Fault.Weather weather) {
      peers.weather(weather);
    } else if (fault instanceof Fault.Transfer transfer) {
      world.group().transferTo(transfer.to());
    } else if (fault instanceof Fault.ChangeMembers change) {
      world.group().change(change);
    } else if (fault instanceof Fault.Heal) {
      peers.healCuts();
      world.clients().healCuts();
    } else if (fault instanceof Fault.CutClient cut) {
      world.clients().cut(cut.client(), machine(cut.node()).number());
    } else if (fault instanceof Fault.BreakClient broken) {
      world.clients().breakConnections(broken.client(), machine(broken.node()).number());
    } else {
      return false;
    }
    return true;
  }

  private void split(Fault.Split split) {
    Set<NodeId> side = Set.copyOf(split.side());
    world.peers().split(side);
    world.clients().split(split.clients(), machine -> side.contains(machine.id()));
  }

  /** A file of a data directory, wherever it is. */
  private record FileOnDisk(SimulatedDisk directory, String name) {
    int bytes() {
      return directory.content(name).length;
    }
  }

  /**
   * The bytes, from the first on, whose damage a node can tell from a crash: of the segment that is
   * written, only what is well below its end.
   */
  private static int damageable(NodeFile kind, FileOnDisk file) {
    if (kind != NodeFile.LAST_SEGMENT) {
      return file.bytes();
    }
    byte[] content = file.directory().content(file.name());
    int end = content.length;
    while (end > 0 && content[end - 1] == 0) {
      end--;
    }
    return Math.max(0, end - 2 * PAGE_BYTES);
  }

  private FileOnDisk stopped(NodeId node, NodeFile file) {
    machine(node).kill("killed");
    FileOnDisk found = fileOf(node, file);
    if (found == null) {
      throw new AssertionError("the file was there before the process ended");
    }
    return found;
  }

  private boolean hits(NodeId node, NodeFile file) {
    FileOnDisk found = fileOf(node, file);
    return found != null && damageable(file, found) > 0;
  }

  private @Nullable FileOnDisk fileOf(NodeId node, NodeFile file) {
    SimulatedDisk root = machine(node).disk();
    if (file == NodeFile.FIRST_SEGMENT || file == NodeFile.LAST_SEGMENT) {
      SimulatedDisk log = root.child("log");
      List<String> segments = new ArrayList<>(log.names());
      segments.removeIf(name -> !name.endsWith(".log"));
      boolean sealed = segments.size() > 1;
      if (file == NodeFile.FIRST_SEGMENT) {
        return sealed ? new FileOnDisk(log, segments.get(0)) : null;
      }
      return segments.isEmpty() ? null : new FileOnDisk(log, segments.get(segments.size() - 1));
    }
    if (file == NodeFile.SNAPSHOT_MANIFEST || file == NodeFile.SNAPSHOT_FILE) {
      return fileOfSnapshot(root, file);
    }
    String name =
        switch (file) {
          case IDENTITY -> "identity";
          case PEERS -> "peers";
          case VOTE -> "vote";
          default -> throw new AssertionError(file + " is no single file");
        };
    return root.names().contains(name) ? new FileOnDisk(root, name) : null;
  }

  /**
   * Of the newest one. Not while one is being installed: then the node has nothing else, and says
   * so.
   */
  private static @Nullable FileOnDisk fileOfSnapshot(SimulatedDisk root, NodeFile file) {
    SimulatedDisk snapshots = root.child("snapshots");
    List<String> names = new ArrayList<>(snapshots.childNames());
    names.removeIf(name -> !Manifest.isName(name));
    if (names.isEmpty() || root.names().contains("installing")) {
      return null;
    }
    SimulatedDisk newest = snapshots.child(names.get(names.size() - 1));
    SimulatedDisk holder = file == NodeFile.SNAPSHOT_FILE ? newest.child("files") : newest;
    List<String> found = holder.names();
    return found.isEmpty() ? null : new FileOnDisk(holder, found.get(0));
  }

  private Machine machine(NodeId node) {
    return world.machine(node);
  }
}
