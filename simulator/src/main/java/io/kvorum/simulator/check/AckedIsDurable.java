package io.kvorum.simulator.check;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A write that a client was told of is on the disks of a majority at that moment, be the machines
 * up or down. A disk that was damaged counts with what it held before.
 *
 * <p>The entry is found by the write's revision: each revision is made by one entry, and {@link
 * SimEvent.Applied} names both. The members are all nodes that were ever started.
 */
public final class AckedIsDurable implements Checker {
  private final DurableLogs logs = new DurableLogs();
  private final TreeSet<NodeId> members = new TreeSet<>();

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
      if (!isRead(called.call())) {
        writes.put(called.operation(), called.call());
      }
    } else if (event instanceof SimEvent.Returned returned) {
      ClientOperation write = writes.remove(returned.operation());
      if (write != null && returned.outcome() instanceof ClientOutcome.Done done) {
        acknowledged(write, done);
      }
    } else if (event instanceof SimEvent.Started started) {
      members.add(started.node());
    }
  }

  private static boolean isRead(ClientOperation call) {
    return call instanceof ClientOperation.Get || call instanceof ClientOperation.Range;
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

  private void acknowledged(ClientOperation write, ClientOutcome.Done done) {
    if (!(write instanceof ClientOperation.Put) && done.deleted() == 0) {
      // It changed nothing, so there is nothing that could get lost.
      return;
    }
    EntryDigest entry = madeBy(write, done.revision());
    int holders = 0;
    StringBuilder who = new StringBuilder();
    for (NodeId member : members) {
      if (logs.hasStored(member, entry)) {
        holders++;
        who.append(' ').append(member);
      }
    }
    if (2 * holders <= members.size()) {
      throw new Violation(
          name(),
          "%s was acknowledged at revision %d, but its entry %s is on %d of %d disks:%s"
              .formatted(write, done.revision(), entry.id(), holders, members.size(), who));
    }
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
