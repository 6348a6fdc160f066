package io.kvorum.server;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.node.Clock;
import io.kvorum.node.Lane;
import io.kvorum.node.Loop;
import io.kvorum.node.RaftNode;
import io.kvorum.node.ReadListener;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.DeleteRangeRequest;
import io.kvorum.protocol.Idempotency;
import io.kvorum.protocol.Numbered;
import io.kvorum.protocol.PutRequest;
import io.kvorum.protocol.RangeRequest;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.StatusWire;
import io.kvorum.protocol.TxnRules;
import io.kvorum.protocol.TxnWire;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.ReadMode;
import io.kvorum.server.net.RequestHandler;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.PinnedRead;
import io.kvorum.server.store.RangeScan;
import io.kvorum.server.store.ReadOutcome;
import io.kvorum.server.store.Refusal;
import io.kvorum.server.store.Stamp;
import io.kvorum.server.store.StateReplacedException;
import io.kvorum.server.store.StoreLimits;
import io.kvorum.server.store.TxnRead;
import io.kvorum.server.watch.FrameSink;
import io.kvorum.server.watch.WatchHub;
import io.kvorum.server.watch.WatchStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
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
  private final Proposals proposals;
  private final MembersService membersService;
  private final LeaseService leases;
  private final HistoryService history;
  private final SpaceService space;
  private final SnapshotService snapshots;
  private final Roster roster;
  private final Clock clock;
  private final Loop loop;
  private final Lane worker;
  private final WatchHub watches;

  KvService(
      ServerConfig config,
      RaftNode<ApplyResult> node,
      KvStateMachine machine,
      WatchHub watches,
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
    this.watches = watches;
    // A learner that is left behind names its last leader for ever: that is not enough.
    watches.serve(node::hearsLeader, node::failUnlessStopped);
    this.membersService = new MembersService(config, node, machine, roster, answers, clock, loop);
    this.proposals = new Proposals(node, machine, answers);
    this.leases = new LeaseService(config, node, machine, answers, proposals, ports);
    this.history = new HistoryService(config, node, machine, answers, proposals, ports);
    this.space = new SpaceService(node, machine, answers, proposals);
    this.snapshots = new SnapshotService(config, node, machine, answers, ports);
  }

  /** As {@link LeaseService#known}. */
  int leasesKnown() {
    return leases.known();
  }

  /** Begins what it does by itself, now and then, until the node stops. On any thread. */
  void start() {
    loop.execute(leases::tick);
    loop.execute(history::tick);
  }

  @Override
  public void handle(ClientFrame request, Consumer<ServerFrame> answer) {
    long id = request.getId();
    try {
      io.kvorum.node.Refusal noSpace = node.spaceRefusal();
      if (noSpace != null && Growth.of(request)) {
        answer.accept(answers.refused(id, noSpace));
        return;
      }
      switch (request.getBodyCase()) {
        case HELLO -> answer.accept(answers.hello(id, request.getHello(), node.status().leader()));
        case PUT -> put(id, request, answer);
        case DELETE_RANGE -> deleteRange(id, request.getDeleteRange(), stamp(request), answer);
        case RANGE -> range(id, request.getRange(), answer);
        case TXN -> txn(id, request, answer);
        case STATUS -> status(id, answer);
        case MEMBERS -> membersService.members(id, answer);
        case MEMBERS_CHANGE -> membersService.change(id, request.getMembersChange(), answer);
        case TRANSFER -> membersService.transfer(id, request.getTransfer(), answer);
        case LEASE_RENEW -> leases.renew(id, request.getLeaseRenew().getIdList(), answer);
        case LEASE_GRANT -> grant(id, request, answer);
        case LEASE_REVOKE -> leases.revoke(id, request.getLeaseRevoke(), stamp(request), answer);
        case LEASE_STATUS -> leases.status(id, request.getLeaseStatus(), answer);
        case LEASE_LIST -> leases.list(id, answer);
        case COMPACT -> history.compact(id, request.getCompact(), stamp(request), answer);
        case SPACE -> space.space(id, request.getSpace(), clock.wallTimeMillis(), answer);
        case SNAPSHOT_TAKE -> snapshots.take(id, request.getSnapshotTake(), answer);
        case SNAPSHOT_READ -> snapshots.read(id, request.getSnapshotRead(), answer);
        case WATCH_CREATE, WATCH_CREDIT, WATCH_CANCEL, WATCH_PROGRESS, BODY_NOT_SET ->
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
  public WatchStream watches(FrameSink sink) {
    return watches.open(sink);
  }

  @Override
  public List<String> endpoints() {
    return roster.endpoints();
  }

  /** What its command carries: the time, and what keeps it from taking effect twice. */
  private Stamp stamp(ClientFrame request) {
    Stamp stamp = Stamp.at(clock.wallTimeMillis());
    if (request.hasNumbered()) {
      Numbered number = request.getNumbered();
      stamp =
          stamp.withNumber(
              number.getSession(), number.getSequence(), number.getAcknowledgedBelow());
    }
    if (request.hasIdempotency()) {
      Idempotency idempotency = request.getIdempotency();
      stamp = stamp.withIdempotency(idempotency.getKey(), idempotency.getTtlMillis());
    }
    return stamp;
  }

  private void put(long id, ClientFrame request, Consumer<ServerFrame> answer) {
    PutRequest put = request.getPut();
    ByteString key = put.getKey();
    ByteString value = put.getValue();
    PutOptions options = Wire.options(put);
    Refusal malformed = StoreLimits.refuseKey(Wire.fromProto(key));
    if (malformed == null) {
      malformed = refusal(TxnRules.refusePut(Wire.fromProto(value), options));
    }
    Refusal refusal = malformed == null ? space.refusePut(request) : malformed;
    if (refusal != null) {
      answer.accept(answers.rejected(id, refusal));
      return;
    }
    proposals.propose(id, Commands.put(key, value, options, stamp(request)), answer);
  }

  private void grant(long id, ClientFrame request, Consumer<ServerFrame> answer) {
    Refusal full = space.refuseGrant(request);
    if (full != null) {
      answer.accept(answers.rejected(id, full));
    } else {
      leases.grant(id, request.getLeaseGrant(), stamp(request), answer);
    }
  }

  private void deleteRange(
      long id, DeleteRangeRequest request, Stamp stamp, Consumer<ServerFrame> answer) {
    KeyRange range = Wire.keyRange(request.getKey(), request.getRangeEnd());
    Refusal malformed = StoreLimits.refuseRange(range);
    if (malformed != null) {
      answer.accept(answers.rejected(id, malformed));
      return;
    }
    proposals.propose(id, Commands.deleteRange(range, Wire.options(request), stamp), answer);
  }

  /** One that can write goes through the log; one that only reads does not. */
  private void txn(long id, ClientFrame request, Consumer<ServerFrame> answer) {
    Txn txn = TxnWire.txn(request.getTxn());
    TxnOptions options = TxnWire.options(request.getTxn());
    Refusal malformed = refusal(TxnRules.refuse(txn));
    if (malformed != null) {
      answer.accept(answers.rejected(id, malformed));
    } else if (txn.onlyReads()) {
      readTxn(id, txn, options, answer);
    } else if (!options.equals(TxnOptions.DEFAULT)) {
      String why = "a transaction that can write is linearizable; nothing was changed";
      answer.accept(answers.rejected(id, KvException.Reason.INVALID_ARGUMENT, why));
    } else {
      writeTxn(id, txn, request, answer);
    }
  }

  private void writeTxn(long id, Txn txn, ClientFrame request, Consumer<ServerFrame> answer) {
    Refusal full = space.refuseTxn(request, txn);
    if (full != null) {
      answer.accept(answers.rejected(id, full));
    } else {
      proposals.propose(id, Commands.txn(txn, stamp(request)), answer);
    }
  }

  private static @Nullable Refusal refusal(KvException.@Nullable Rejected rejected) {
    return rejected == null
        ? null
        : new Refusal(rejected.reason(), String.valueOf(rejected.getMessage()));
  }

  private void readTxn(long id, Txn txn, TxnOptions options, Consumer<ServerFrame> answer) {
    node.read(
        scanMode(options.consistency()),
        new Read(id, answer) {
          @Override
          public Runnable read() {
            TxnRead read = machine.prepareTxn(txn);
            if (read.isDone()) {
              ServerFrame frame = txnAnswer(id, read.run());
              return () -> answer.accept(frame);
            }
            Runnable again = () -> readTxn(id, txn, options, answer);
            worker.execute(() -> scan(id, read, done -> txnAnswer(id, done), answer, again));
            return () -> {};
          }
        });
  }

  private void range(long id, RangeRequest request, Consumer<ServerFrame> answer) {
    KeyRange range = Wire.keyRange(request.getKey(), request.getRangeEnd());
    RangeOptions options = Wire.options(request);
    RangeOptions plain =
        RangeOptions.DEFAULT
            .withRevision(options.revision())
            .withConsistency(options.consistency());
    if (range.isSingle() && options.equals(plain)) {
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
    node.read(
        scanMode(options.consistency()),
        new Read(id, answer) {
          @Override
          public Runnable read() {
            RangeScan scan = machine.prepareRange(range, options);
            Runnable again = () -> range(id, request, answer);
            worker.execute(() -> scan(id, scan, done -> rangeAnswer(id, done), answer, again));
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

  /** A lease is checked again before the answer leaves; a scan outlives that check. */
  private static ReadMode scanMode(ReadConsistency consistency) {
    return consistency instanceof ReadConsistency.Lease ? ReadMode.LINEARIZABLE : mode(consistency);
  }

  /**
   * On the worker: a count takes a look at every key, so no range is known to be short.
   *
   * @param again asks anew, on the loop
   */
  private <T> void scan(
      long id,
      PinnedRead<T> read,
      Function<ReadOutcome<T>, ServerFrame> toFrame,
      Consumer<ServerFrame> answer,
      Runnable again) {
    ServerFrame frame;
    try (read) {
      frame = toFrame.apply(read.run());
    } catch (StateReplacedException replaced) {
      // A snapshot was installed under us. Nothing was answered yet: the new state does (FAULTS
      // F099).
      loop.execute(again);
      return;
    } catch (RuntimeException failure) {
      // The store is being closed under us, or its disk fails: then so does the node.
      loop.execute(
          () -> {
            node.failUnlessStopped(failure);
            answer.accept(answers.refused(id, new io.kvorum.node.Refusal.Stopped("read failed")));
          });
      return;
    }
    loop.execute(
        () ->
            // Since it was read, the state may have turned out to be wrong.
            answer.accept(
                node.isQuarantined()
                    ? answers.refused(id, io.kvorum.node.Refusal.QUARANTINED)
                    : frame));
  }

  private ServerFrame getAnswer(long id, ReadOutcome<GetResult> outcome) {
    if (outcome instanceof ReadOutcome.Answered<GetResult> answered) {
      GetResult result = answered.result();
      return answers.frame(id, result.header()).setRange(Wire.toProto(result)).build();
    }
    return refusedRead(id, outcome);
  }

  private ServerFrame txnAnswer(long id, ReadOutcome<TxnResult> outcome) {
    if (outcome instanceof ReadOutcome.Answered<TxnResult> answered) {
      TxnResult result = answered.result();
      return answers.frame(id, result.header()).setTxn(TxnWire.toProto(result)).build();
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
    NodeStatus status =
        statusReport.of(
            StatusReport.Node.of(node),
            new StatusReport.Store(header, machine.compactRevision(), machine.space()));
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
