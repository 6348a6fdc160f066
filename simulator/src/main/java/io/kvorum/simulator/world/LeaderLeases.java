package io.kvorum.simulator.world;

import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.SimEvent;

/**
 * While a leader holds its lease by its own clock, nobody else is elected (thesis §6.4.1): on that
 * stand reads that ask nobody. Looked at in each election, whether or not somebody reads just then.
 */
final class LeaderLeases {
  private final World world;

  LeaderLeases(World world) {
    this.world = world;
  }

  void hear(SimEvent event) {
    if (event instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.LEADER) {
      world.machines().forEach(machine -> look(machine, taken));
    }
  }

  private void look(Machine machine, SimEvent.RoleTaken taken) {
    NodeProcess process = machine.process();
    if (process == null || !process.isOpen() || !machine.isWell()) {
      return;
    }
    var node = process.serving().node();
    if (node.role() == RoleName.LEADER && node.term() < taken.term() && node.holdsLease()) {
      world
          .journal()
          .violated(
              "OneLeaseAtATime",
              "%s leads term %d while %s holds the lease of term %d"
                  .formatted(taken.node(), taken.term(), machine.id(), node.term()));
    }
  }
}
