package io.kvorum.server.simulated;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.PutOptions;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.ReadListener;
import io.kvorum.node.Refusal;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.ReadOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Machines, a network, and a client that looks over everybody's shoulder. */
final class SimulatedCluster {
  static final long SECOND_NANOS = 1_000_000_000;

  final VirtualTime time;
  final SimulatedNetwork network;
  final List<SimulatedMachine> machines = new ArrayList<>();

  SimulatedCluster(int size, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    time = new VirtualTime(random.split());
    network = new SimulatedNetwork(time);
    List<NodeId> ids = IntStream.rangeClosed(1, size).mapToObj(i -> new NodeId("n" + i)).toList();
    for (NodeId id : ids) {
      machines.add(new SimulatedMachine(id, Membership.of(ids), time, network, random.split()));
    }
  }

  void startAll() {
    machines.forEach(SimulatedMachine::start);
  }

  void crashAll() {
    machines.forEach(SimulatedMachine::crash);
  }

  void restartAll() {
    machines.forEach(SimulatedMachine::restore);
    machines.forEach(SimulatedMachine::start);
  }

  Optional<SimulatedMachine> leader() {
    return machines.stream()
        .filter(SimulatedMachine::leads)
        .max(Comparator.comparingLong(machine -> machine.node().status().term()));
  }

  /** What became of a put. */
  enum Outcome {
    PENDING,
    ACKNOWLEDGED,
    REFUSED,
    UNKNOWN
  }

  /** A put under way. */
  static final class Put implements ProposalListener<ApplyResult> {
    final Bytes key;
    final Bytes value;
    Outcome outcome = Outcome.PENDING;
    long revision;

    Put(Bytes key, Bytes value) {
      this.key = key;
      this.value = value;
    }

    @Override
    public void applied(ApplyResult result) {
      end(Outcome.ACKNOWLEDGED);
      revision = result.header().revision();
    }

    @Override
    public void refused(Refusal why) {
      end(Outcome.REFUSED);
    }

    @Override
    public void unknown(String why) {
      end(Outcome.UNKNOWN);
    }

    private void end(Outcome with) {
      if (outcome != Outcome.PENDING) {
        throw new AssertionError("a put ended twice: " + outcome + ", then " + with);
      }
      outcome = with;
    }
  }

  /** Proposes on that machine, now. */
  Put put(SimulatedMachine machine, String key, String value) {
    Put put = new Put(Bytes.utf8(key), Bytes.utf8(value));
    machine
        .node()
        .propose(Commands.put(put.key, put.value, PutOptions.DEFAULT, time.nowNanos()), put);
    return put;
  }

  /** A get under way: null until it has ended; empty when it was refused. */
  static final class Get {
    Optional<GetResult> result;
  }

  /** Reads linearizably on that machine. */
  Get get(SimulatedMachine machine, Bytes key) {
    Get get = new Get();
    machine
        .node()
        .read(
            new ReadListener() {
              @Override
              public Runnable read() {
                ReadOutcome<GetResult> outcome = machine.store().get(key, 0);
                return () ->
                    get.result = Optional.of(((ReadOutcome.Answered<GetResult>) outcome).result());
              }

              @Override
              public void refused(Refusal why) {
                get.result = Optional.empty();
              }
            });
    return get;
  }
}
