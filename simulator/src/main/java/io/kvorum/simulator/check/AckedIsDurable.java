package io.kvorum.simulator.check;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A write that a client was told of is on the disks of a majority at that moment, be the machines
 * up or down. A disk that was damaged counts with what it held before.
 *
 * <p>The entry is found by the write's revision: each revision is made by one entry, and {@link
 * SimEvent.Applied} names both. Whose majority it has to be, a change of members leaves open for a
 * while: so it may be that of any membership by which some node acted since the write was called.
 */
public final class AckedIsDurable implements Checker {
  private final DurableLogs logs = new DurableLogs();
  private final Map<NodeId, Membership> actsBy = new TreeMap<>();

  /** Each with the number of the last call before some node ceased to act by it. */
  private final Map<Membership, Long> ceased = new LinkedHashMap<>();

  private long lastCall;

  /** The entries that made a revision, in order of index, hence of revision. */
  private final List<SimEvent.Applied> revisions = new ArrayList<>();

  private final Map<Long, ClientOperation> writes = new HashMap<>();
  private long appliedIndex;

  @Override
  public String name() {
    return "AckedIsDurable";
  }

  @Override
  public void on(SimEvent event) {
    logs.on(event);
    if (event instanceof SimEvent.Applied applied) {
      applied(applied);
    } else if (event instanceof SimEvent.Called called) {
      lastCall = Math.max(lastCall, called.operation());
      if (!called.call().onlyReads()) {
        writes.put(called.operation(), called.call());
      }
    } else if (event instanceof SimEvent.Returned returned) {
      ClientOperation write = writes.remove(returned.operation());
      if (write != null && returned.outcome() instanceof ClientOutcome.Done done) {
        acknowledged(returned.operation(), write, done);
      }
    } else if (event instanceof SimEvent.GroupChanged changed) {
      Membership before = actsBy.put(changed.node(), changed.membership());
      if (before != null) {
        ceased.put(before, lastCall);
      }
    }
  }

  private void applied(SimEvent.Applied applied) {
    if (applied.entry().index() != appliedIndex + 1) {
      return;
    }
    appliedIndex++;
    long before = revisions.isEmpty() ? 0 : revisions.get(revisions.size() - 1).revision();
    if (applied.revision() > before) {
      revisions.add(applied);
    }
  }

  private void acknowledged(long operation, ClientOperation write, ClientOutcome.Done done) {
    if (!write.hasChanged(done)) {
      // It changed nothing, so there is nothing that could get lost.
      return;
    }
    EntryDigest entry = madeBy(write, done.revision());
    Set<Membership> inForce = new LinkedHashSet<>(actsBy.values());
    ceased.forEach(
        (membership, call) -> {
          if (call >= operation) {
            inForce.add(membership);
          }
        });
    Set<NodeId> holders = new TreeSet<>();
    for (NodeId node : actsBy.keySet()) {
      if (logs.hasStored(node, entry)) {
        holders.add(node);
      }
    }
    if (inForce.stream().noneMatch(membership -> decides(membership, holders))) {
      throw new Violation(
          name(),
          "%s was acknowledged at revision %d, but its entry %s is on disks of %s only; members: %s"
              .formatted(write, done.revision(), entry.id(), holders, inForce));
    }
  }

  private static boolean decides(Membership membership, Set<NodeId> holders) {
    return isMajority(membership.voters(), holders)
        && (!membership.isJoint() || isMajority(membership.outgoing(), holders));
  }

  private static boolean isMajority(Set<NodeId> voters, Set<NodeId> holders) {
    return 2 * voters.stream().filter(holders::contains).count() > voters.size();
  }

  private EntryDigest madeBy(ClientOperation write, long revision) {
    int low = 0;
    int high = revisions.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long found = revisions.get(middle).revision();
      if (found == revision) {
        return revisions.get(middle).entry();
      }
      if (found < revision) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    throw new Violation(
        name(), write + " was acknowledged at revision " + revision + ", which no entry has made");
  }
}
