package io.kvorum.server;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.node.Clock;
import io.kvorum.node.Lane;
import io.kvorum.node.Loop;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.RaftNode;
import io.kvorum.node.ReadListener;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.DeleteRangeRequest;
import io.kvorum.protocol.PutRequest;
import io.kvorum.protocol.RangeRequest;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.StatusWire;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.ReadMode;
import io.kvorum.server.net.RequestHandler;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.RangeScan;
import io.kvorum.server.store.ReadOutcome;
import io.kvorum.server.store.Refusal;
import io.kvorum.server.store.StoreLimits;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of clients, remote and embedded: checks them, proposes writes, makes reads.
 * Belongs to the node's loop; reads run on the apply lane, long ones on a worker.
 */
final class KvService implements RequestHandler {
  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final StatusReport statusReport;
  private final Answers answers;
  private final MembersService membersService;
  private final Roster roster;
  private final Clock clock;
  private final Loop loop;
  private final Lane worker;

  KvService(
      ServerConfig config,
      RaftNode<ApplyResult> node,
      KvStateMachine machine,
      GroupView group,
      ServingPorts ports) {
    this.node = node;
    this.machine = machine;
    this.roster = group.roster();
    this.statusReport = new StatusReport(config, roster, group.standing());
    this.answers = new Answers(config, roster);
    this.clock = ports.clock();
    this.loop = ports.loop();
    this.worker = ports.worker();
    this.membersService = new MembersService(config, node, machine, roster, answers, clock, loop);
  }

  @Override
  public void handle(ClientFrame request, Consumer<ServerFrame> answer) {
    long id = request.getId();
    try {
      switch (request.getBodyCase()) {
        case HELLO -> answer.accept(answers.hello(id, request.getHello(), node.status().leader()));
        case PUT -> put(id, request.getPut(), answer);
        case DELETE_RANGE -> deleteRange(id, request.getDeleteRange(), answer);
        case RANGE -> range(id, request.getRange(), answer);
        case TXN ->
            answer.accept(
                answers.rejected(
                    id,
                    new Refusal(
                        KvException.Reason.UNSUPPORTED, "this server makes no transactions yet")));
        case STATUS -> status(id, answer);
        case MEMBERS -> membersService.members(id, answer);
        case MEMBERS_CHANGE -> membersService.change(id, request.getMembersChange(), answer);
        case TRANSFER -> membersService.transfer(id, request.getTransfer(), answer);
        case BODY_NOT_SET ->
            answer.accept(
                answers.rejected(
                    id,
                    new Refusal(
                        KvException.Reason.UNSUPPORTED,
                        "this server does not know the request; it speaks protocol version 1")));
      }
    } catch (KvException.Rejected malformed) {
      answer.accept(
          answers.rejected(
              id, new Refusal(malformed.reason(), String.valueOf(malformed.getMessage()))));
    }
  }

  @Override
  public List<String> endpoints() {
    return roster.endpoints();
  }

  private void put(long id, PutRequest request, Consumer<ServerFrame> answer) {
    ByteString key = request.getKey();
    byte[] command =
        Commands.put(key, request.getValue(), request.getPrevKv(), clock.wallTimeMillis());
    propose(id, StoreLimits.refuseKey(Wire.fromProto(key)), command, answer);
  }

  private void deleteRange(long id, DeleteRangeRequest request, Consumer<ServerFrame> answer) {
    KeyRange range = Wire.keyRange(request.getKey(), request.getRangeEnd());
    byte[] command = Commands.deleteRange(range, Wire.options(request), clock.wallTimeMillis());
    propose(id, StoreLimits.refuseRange(range), command, answer);
  }

  private void propose(
      long id, @Nullable Refusal malformed, byte[] command, Consumer<ServerFrame> answer) {
    Refusal refusal = malformed != null ? malformed : StoreLimits.refuseCommand(command);
    if (refusal != null) {
      answer.accept(answers.rejected(id, refusal));
      return;
    }
    node.propose(
        command,
        new ProposalListener<>() {
          @Override
          public void applied(ApplyResult result) {
            answer.accept(applyAnswer(id, result));
          }

          @Override
          public void refused(io.kvorum.node.Refusal why) {
            answer.accept(answers.refused(id, why));
          }

          @Override
          public void unknown(String why) {
            answer.accept(answers.unknown(id, why));
          }
        });
  }

  private ServerFrame applyAnswer(long id, ApplyResult result) {
    if (result instanceof ApplyResult.PutApplied put) {
      PutResult done = put.result();
      return answers.frame(id, done.header()).setPut(Wire.toProto(done)).build();
    }
    if (result instanceof ApplyResult.DeleteApplied delete) {
      DeleteResult done = delete.result();
      return answers.frame(id, done.header()).setDeleteRange(Wire.toProto(done)).build();
    }
    if (result instanceof ApplyResult.Rejected rejected) {
      return answers.rejected(id, rejected.refusal());
    }
    throw new AssertionError("no answer to a request: " + result);
  }

  private void range(long id, RangeRequest request, Consumer<ServerFrame> answer) {
    KeyRange range = Wire.keyRange(request.getKey(), request.getRangeEnd());
    RangeOptions options = Wire.options(request);
    boolean single = request.getRangeEnd().isEmpty() && !options.countOnly();
    if (single && options.limit() == 0 && !options.keysOnly()) {
      Bytes key = range.from();
      node.read(
          mode(options.consistency()),
          new Read(id, answer) {
            @Override
            public Runnable read() {
              ServerFrame frame = getAnswer(id, machine.get(key, options.revision()));
              return () -> answer.accept(frame);
            }
          });
      return;
    }
    // A lease is checked again before the answer leaves; a scan outlives that check.
    boolean leased = options.consistency() instanceof ReadConsistency.Lease;
    node.read(
        leased ? ReadMode.LINEARIZABLE : mode(options.consistency()),
        new Read(id, answer) {
          @Override
          public Runnable read() {
            RangeScan scan = machine.prepareRange(range, options);
            worker.execute(() -> scan(id, scan, answer));
            return () -> {};
          }
        });
  }

  /**
   * Whoever was asked with a bound may answer. Without one it is the leader: another member could
   * only ask it, and the client can do that itself.
   */
  private static ReadMode mode(ReadConsistency consistency) {
    if (consistency instanceof ReadConsistency.BoundedStaleness stale) {
      return ReadMode.stale(stale.bound().toNanos());
    }
    return consistency instanceof ReadConsistency.Lease ? ReadMode.LEASE : ReadMode.LINEARIZABLE;
  }

  /** On the worker: the count takes a look at every key, so no range is known to be short. */
  private void scan(long id, RangeScan scan, Consumer<ServerFrame> answer) {
    ServerFrame frame;
    try (scan) {
      frame = rangeAnswer(id, scan.run());
    } catch (RuntimeException failure) {
      // The store is being closed under us, or its disk fails: then so does the node.
      loop.execute(
          () -> {
            node.failUnlessStopped(failure);
            answer.accept(answers.refused(id, new io.kvorum.node.Refusal.Stopped("read failed")));
          });
      return;
    }
    loop.execute(() -> answer.accept(frame));
  }

  private ServerFrame getAnswer(long id, ReadOutcome<GetResult> outcome) {
    if (outcome instanceof ReadOutcome.Answered<GetResult> answered) {
      GetResult result = answered.result();
      return answers.frame(id, result.header()).setRange(Wire.toProto(result)).build();
    }
    return refusedRead(id, outcome);
  }

  private ServerFrame rangeAnswer(long id, ReadOutcome<RangeResult> outcome) {
    if (outcome instanceof ReadOutcome.Answered<RangeResult> answered) {
      RangeResult result = answered.result();
      return answers.frame(id, result.header()).setRange(Wire.toProto(result)).build();
    }
    return refusedRead(id, outcome);
  }

  private <T> ServerFrame refusedRead(long id, ReadOutcome<T> outcome) {
    if (outcome instanceof ReadOutcome.Refused<T> refused) {
      return answers.rejected(id, refused.refusal(), refused.compactRevision());
    }
    throw new AssertionError("unknown outcome " + outcome);
  }

  /** Answered at once: clients ask it to learn whether the node is alive, whatever it is doing. */
  private void status(long id, Consumer<ServerFrame> answer) {
    Header header = machine.header();
    NodeStatus status = statusReport.of(node.status(), header, machine.compactRevision());
    answer.accept(answers.frame(id, header).setStatus(StatusWire.toProto(status)).build());
  }

  /** A read that says why when it is refused. */
  private abstract class Read implements ReadListener {
    private final long id;
    private final Consumer<ServerFrame> answer;

    Read(long id, Consumer<ServerFrame> answer) {
      this.id = id;
      this.answer = answer;
    }

    @Override
    public void refused(io.kvorum.node.Refusal why) {
      answer.accept(answers.refused(id, why));
    }
  }
}
