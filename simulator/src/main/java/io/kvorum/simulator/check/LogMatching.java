package io.kvorum.simulator.check;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An index and a term name one entry, and one history before it (§5.3): wherever two disks hold the
 * same id, they hold the same payload there, and the same id before. By induction the logs are
 * equal up to it.
 */
public final class LogMatching implements Checker {
  /** What an id stands for: its entry, and the term of the entry before, 0 while unknown. */
  private static final class Meaning {
    private final EntryDigest entry;
    private final NodeId seenOn;
    private long previousTerm;

    Meaning(EntryDigest entry, NodeId seenOn) {
      this.entry = entry;
      this.seenOn = seenOn;
    }
  }

  private final DurableLogs logs;
  private final Map<EntryId, Meaning> meanings = new HashMap<>();

  LogMatching(DurableLogs logs) {
    this.logs = logs;
  }

  @Override
  public String name() {
    return "LogMatching";
  }

  @Override
  public void on(SimEvent event) {
    logs.on(event);
    if (event instanceof SimEvent.Stored stored) {
      stored(stored.node(), stored.entries());
    } else if (event instanceof SimEvent.Applied applied) {
      meaning(applied.node(), applied.entry());
    }
  }

  private void stored(NodeId node, List<EntryDigest> entries) {
    long previousIndex = entries.isEmpty() ? 0 : entries.get(0).index() - 1;
    EntryDigest previous =
        logs.isCertain(node, previousIndex) ? logs.at(node, previousIndex) : null;
    for (EntryDigest entry : entries) {
      if (previous != null && previous.term() > entry.term()) {
        throw new Violation(
            name(), "terms fall along the log of " + node + ": " + previous + ", " + entry);
      }
      Meaning meaning = meaning(node, entry);
      if (previous != null) {
        follows(node, meaning, previous.id());
      }
      previous = entry;
    }
  }

  private Meaning meaning(NodeId node, EntryDigest entry) {
    Meaning known = meanings.get(entry.id());
    if (known == null) {
      known = new Meaning(entry, node);
      meanings.put(entry.id(), known);
    } else if (!known.entry.equals(entry)) {
      throw new Violation(
          name(),
          "%s is one entry on %s, another on %s: %s, %s"
              .formatted(entry.id(), known.seenOn, node, known.entry, entry));
    }
    return known;
  }

  private void follows(NodeId node, Meaning meaning, EntryId previous) {
    if (meaning.previousTerm == 0) {
      meaning.previousTerm = previous.term();
    } else if (meaning.previousTerm != previous.term()) {
      throw new Violation(
          name(),
          "%s follows term %d on one disk, but %s on %s"
              .formatted(meaning.entry.id(), meaning.previousTerm, previous, node));
    }
  }
}
