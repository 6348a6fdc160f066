package io.kvorum.node;

import io.kvorum.raft.RaftCore;
import io.kvorum.raft.ReadMode;
import io.kvorum.raft.Ready;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who waits for which read. All reads of one mode that arrive in one turn of the loop are one read
 * to the core. Owned by the loop.
 *
 * <p>A read that rests on a lease is checked again when its answer is about to leave: the process
 * may have slept since the core allowed it, with another leader elected meanwhile (FAULTS F094). If
 * the lease is gone, the read is made once more, confirmed by a round.
 */
final class NodeReads<R> {
  private final RaftCore core;
  private final Clock clock;
  private final Applier<R> applier;
  private final NodeReads.Again again;
  private final Map<Long, List<ReadListener>> waiting = new LinkedHashMap<>();
  private Map<ReadMode, List<ReadListener>> arrived = new LinkedHashMap<>();
  private long lastReadId;

  /** Takes a read that has to be made once more. */
  interface Again {
    void read(ReadMode mode, ReadListener listener);
  }

  NodeReads(RaftCore core, Clock clock, Applier<R> applier, Again again) {
    this.core = core;
    this.clock = clock;
    this.applier = applier;
    this.again = again;
  }

  void add(ReadMode mode, ReadListener listener) {
    arrived.computeIfAbsent(mode, none -> new ArrayList<>()).add(listener);
  }

  /** Ends a turn: the core gets what has arrived. */
  void register() {
    if (arrived.isEmpty()) {
      return;
    }
    Map<ReadMode, List<ReadListener>> batches = arrived;
    arrived = new LinkedHashMap<>();
    // After they arrived: by an earlier time a lease could seem to hold that ran out before.
    core.now(clock.nanoTime());
    batches.forEach(
        (mode, listeners) -> {
          long id = ++lastReadId;
          if (core.read(id, mode)) {
            waiting.put(id, listeners);
          } else {
            refuse(listeners, new Refusal.NotLeader(core.leader()));
          }
        });
  }

  /** Hands over to the apply lane what the core has confirmed, and ends what it has given up. */
  void handOver(Ready ready) {
    for (Ready.ReadState state : ready.reads()) {
      List<ReadListener> batch = waiting.remove(state.readId());
      if (batch != null) {
        applier.submitReads(state.index(), state.isLeased() ? leased(batch, state) : batch);
      }
    }
    for (Long readId : ready.failedReads()) {
      List<ReadListener> batch = waiting.remove(readId);
      if (batch != null) {
        refuse(batch, new Refusal.NotLeader(core.leader()));
      }
    }
  }

  private List<ReadListener> leased(List<ReadListener> batch, Ready.ReadState state) {
    List<ReadListener> checked = new ArrayList<>(batch.size());
    for (ReadListener listener : batch) {
      checked.add(new LeasedRead(state.leaseTerm(), listener));
    }
    return checked;
  }

  void refuseAll(Refusal why) {
    arrived.values().forEach(batch -> refuse(batch, why));
    arrived.clear();
    waiting.values().forEach(batch -> refuse(batch, why));
    waiting.clear();
  }

  static void refuse(List<ReadListener> batch, Refusal why) {
    for (ReadListener listener : batch) {
      listener.refused(why);
    }
  }

  private final class LeasedRead implements ReadListener {
    private final long term;
    private final ReadListener listener;

    LeasedRead(long term, ReadListener listener) {
      this.term = term;
      this.listener = listener;
    }

    @Override
    public Runnable read() {
      Runnable answer = listener.read();
      return () -> answer(answer);
    }

    private void answer(Runnable answer) {
      core.now(clock.nanoTime());
      if (core.leaseHolds(term)) {
        answer.run();
      } else {
        again.read(ReadMode.LINEARIZABLE, listener);
      }
    }

    @Override
    public void refused(Refusal why) {
      listener.refused(why);
    }
  }
}
