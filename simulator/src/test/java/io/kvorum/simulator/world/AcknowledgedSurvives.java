package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Of one client that calls one after another: what it was told is written, every later read sees,
 * or something newer. Keys whose delete has an unknown outcome are left out from then on.
 */
final class AcknowledgedSurvives implements Checker {
  private record Written(Bytes value, long revision) {}

  private final Map<Long, ClientOperation> open = new TreeMap<>();
  private final Map<Bytes, Written> newest = new TreeMap<>();
  private final Set<Bytes> uncertain = new HashSet<>();
  private int checked;

  @Override
  public String name() {
    return "AcknowledgedSurvives";
  }

  /** How many reads were compared with a write. */
  int checked() {
    return checked;
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Called called) {
      open.put(called.operation(), called.call());
      if (called.call() instanceof ClientOperation.Delete delete) {
        deleted(KeyRange.single(delete.key()));
      } else if (called.call() instanceof ClientOperation.DeleteRange delete) {
        deleted(delete.range());
      } else if (called.call() instanceof ClientOperation.Transaction transaction) {
        deletes(transaction).forEach(this::deleted);
      }
    } else if (event instanceof SimEvent.Returned returned) {
      returned(open.remove(returned.operation()), returned.outcome());
    }
  }

  private static List<KeyRange> deletes(ClientOperation.Transaction transaction) {
    return Stream.of(true, false)
        .flatMap(succeeded -> transaction.branch(succeeded).stream())
        .filter(Op.DeleteRange.class::isInstance)
        .map(op -> ((Op.DeleteRange) op).range())
        .toList();
  }

  private void deleted(KeyRange range) {
    newest.keySet().removeIf(range::contains);
  }

  private void returned(ClientOperation call, ClientOutcome outcome) {
    if (outcome instanceof ClientOutcome.Done done) {
      if (call instanceof ClientOperation.Put put) {
        newest.put(put.key(), new Written(put.value(), done.revision()));
      } else if (call instanceof ClientOperation.Get get) {
        read(get.key(), done);
      }
    } else if (outcome instanceof ClientOutcome.Unknown) {
      if (call instanceof ClientOperation.Delete delete) {
        uncertain.add(delete.key());
      } else if (call instanceof ClientOperation.Transaction transaction) {
        deletes(transaction).forEach(range -> uncertain.add(range.from()));
      } else if (call instanceof ClientOperation.DeleteRange) {
        // Whatever it may still remove.
        for (int i = 0; i < 100; i++) {
          uncertain.add(Workload.key(i));
        }
      }
    }
  }

  private void read(Bytes key, ClientOutcome.Done done) {
    Written written = newest.get(key);
    if (written == null || uncertain.contains(key)) {
      return;
    }
    checked++;
    KeyValue found = done.keyValues().stream().findFirst().orElse(null);
    boolean survives =
        found != null
            && (found.modRevision() > written.revision
                || (found.modRevision() == written.revision
                    && found.value().equals(written.value)));
    if (!survives) {
      throw new Violation(name(), key + " was written as " + written + ", and is read as " + found);
    }
  }
}
