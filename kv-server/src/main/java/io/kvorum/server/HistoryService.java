package io.kvorum.server;

import io.kvorum.api.Header;
import io.kvorum.node.RaftNode;
import io.kvorum.protocol.CompactRequest;
import io.kvorum.protocol.CompactResponse;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.CompactionStep;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.Stamp;
import io.kvorum.server.store.StateReplacedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gives up history: when clients ask for it, and, while this node leads, as {@link Retention} says.
 * What nobody can read any more is removed on every member by itself, in small steps: looked for on
 * the worker, removed on the apply lane, with a pause before the next one. Belongs to the loop.
 */
final class HistoryService {
  private static final long TICK_NANOS = 100_000_000;
  private static final long PAUSE_NANOS = 5_000_000;

  /** What a step looks at: a few milliseconds of the worker, on which ranges are read. */
  private static final int EVENTS_PER_STEP = 4_000;

  /** Who waits for the removal of what a compaction has given up. */
  private record Waiting(long revision, Runnable done) {}

  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final Answers answers;
  private final Proposals proposals;
  private final ServingPorts ports;
  private final RetentionPolicy policy;
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean removes;
  private boolean compacts;

  HistoryService(
      ServerConfig config,
      RaftNode<ApplyResult> node,
      KvStateMachine machine,
      Answers answers,
      Proposals proposals,
      ServingPorts ports) {
    this.node = node;
    this.machine = machine;
    this.answers = answers;
    this.proposals = proposals;
    this.ports = ports;
    this.policy = new RetentionPolicy(config.retention());
  }

  void compact(long id, CompactRequest request, Stamp stamp, Consumer<ServerFrame> answer) {
    long revision = request.getRevision();
    byte[] command = Commands.compact(revision, stamp);
    if (!request.getPhysical()) {
      proposals.propose(id, command, answer);
      return;
    }
    Proposals.Answering later =
        proposals.new Answering(id, answer) {
          @Override
          public void applied(ApplyResult result) {
            ApplyResult first = result.first();
            if (!(first instanceof ApplyResult.Compacted)) {
              super.applied(result);
              return;
            }
            waiting.add(new Waiting(revision, () -> answer.accept(done(id, first.header()))));
            remove();
          }
        };
    node.propose(command, later);
  }

  private ServerFrame done(long id, Header header) {
    return answers.frame(id, header).setCompact(CompactResponse.getDefaultInstance()).build();
  }

  /** Keeps time from now on, until the node stops. */
  void tick() {
    if (node.isStopped()) {
      return;
    }
    ports.loop().schedule(this::tick, TICK_NANOS);
    long now = ports.clock().nanoTime();
    long revision = machine.header().revision();
    policy.look(now, revision);
    if (node.role() == RoleName.LEADER && !compacts) {
      long due = policy.due(now, revision, machine.compactRevision());
      if (due != 0) {
        compacts = true;
        byte[] command = Commands.compact(due, ports.clock().wallTimeMillis());
        node.propose(command, new Settling(() -> compacts = false));
      }
    }
    remove();
  }

  private void remove() {
    answerWaiting();
    if (!removes
        && !node.isQuarantined()
        && machine.removedRevision() < machine.compactRevision()) {
      removes = true;
      ports.applyLane().execute(guarded(this::prepare));
    }
  }

  private void answerWaiting() {
    waiting.removeIf(
        one -> {
          boolean isDone = machine.removedRevision() >= one.revision();
          if (isDone) {
            one.done().run();
          }
          return isDone;
        });
  }

  /** On the apply lane. */
  private void prepare() {
    CompactionStep step = machine.prepareCompaction(EVENTS_PER_STEP);
    if (step == null) {
      ports.loop().execute(this::paused);
    } else {
      ports.worker().execute(guarded(() -> scan(step)));
    }
  }

  /** On the worker. */
  private void scan(CompactionStep step) {
    // Given back before the way to the apply lane, where a close may be waiting for it.
    try (step) {
      step.run();
    }
    ports.applyLane().execute(guarded(() -> finish(step)));
  }

  /** On the apply lane. */
  private void finish(CompactionStep step) {
    machine.finishCompaction(step);
    ports.loop().execute(() -> ports.loop().schedule(this::stepped, PAUSE_NANOS));
  }

  /** There is nothing to do, or what is to be done first takes its time: the next tick goes on. */
  private void paused() {
    removes = false;
    answerWaiting();
  }

  private void stepped() {
    removes = false;
    if (!node.isStopped()) {
      remove();
    }
  }

  private Runnable guarded(Runnable part) {
    return () -> {
      try {
        part.run();
      } catch (StateReplacedException replaced) {
        // A snapshot was installed under us: what is to be removed now is another question.
        ports.loop().execute(this::stepped);
      } catch (RuntimeException failure) {
        // The store is being closed under us, or its disk fails: then so does the node.
        ports.loop().execute(() -> node.failUnlessStopped(failure));
      }
    };
  }
}
