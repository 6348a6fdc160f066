package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException.Reason;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.RaftNode;
import io.kvorum.node.ReadListener;
import io.kvorum.node.Refusal;
import io.kvorum.protocol.LeaseGrantRequest;
import io.kvorum.protocol.LeaseListResponse;
import io.kvorum.protocol.LeaseRenewResponse;
import io.kvorum.protocol.LeaseRevokeRequest;
import io.kvorum.protocol.LeaseStatusRequest;
import io.kvorum.protocol.LeaseStatusResponse;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.LeaseChange;
import io.kvorum.server.store.LeaseKind;
import io.kvorum.server.store.LeaseRow;
import io.kvorum.server.store.Stamp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests about leases, and, while this node leads, ends those whose time is over. Belongs
 * to the loop.
 *
 * <p>Renewals pass the log, many in one entry, and one such entry at a time: what comes meanwhile
 * goes with the next one. So however many leases there are, they cost the log a few entries a
 * second; and whoever is told that a lease was renewed has it renewed on a majority (FAULTS F127).
 */
final class LeaseService {
  private static final long TICK_NANOS = 100_000_000;

  /** Of one request, and of one entry. */
  private static final int IDS_MAX = 10_000;

  /** In one tick, so that leases that end together do not hold up everybody else. */
  private static final int EXPIRIES_MAX = 200;

  private record Renewal(long request, List<Long> ids, Consumer<ServerFrame> answer) {}

  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final Answers answers;
  private final Proposals proposals;
  private final ServingPorts ports;
  private final LeaseDeadlines deadlines;
  private final ArrayDeque<Renewal> renewals = new ArrayDeque<>();
  private boolean renews;
  private boolean flushes;
  private boolean takesChanges;
  private boolean checkpoints;
  private long ledTerm;

  LeaseService(
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
    this.deadlines =
        new LeaseDeadlines(ports.clock().nanoTime(), config.electionTimeout().toNanos());
  }

  void grant(long id, LeaseGrantRequest request, Stamp stamp, Consumer<ServerFrame> answer) {
    byte[] command =
        Commands.leaseGrant(request.getId(), request.getTtlMillis(), request.getSession(), stamp);
    proposals.propose(id, command, answer);
  }

  void revoke(long id, LeaseRevokeRequest request, Stamp stamp, Consumer<ServerFrame> answer) {
    proposals.propose(id, Commands.leaseRevoke(request.getId(), stamp), answer);
  }

  /** How many leases there are, those of sessions and idempotency keys among them. On the loop. */
  int known() {
    return deadlines.size();
  }

  private long wallTimeMillis() {
    return ports.clock().wallTimeMillis();
  }

  /** Renews leases with all others that are to be renewed in this turn of the loop. */
  void renew(long id, List<Long> ids, Consumer<ServerFrame> answer) {
    if (ids.isEmpty() || ids.size() > IDS_MAX) {
      String why = "a request renews 1 to " + IDS_MAX + " leases, not " + ids.size();
      answer.accept(answers.rejected(id, Reason.INVALID_ARGUMENT, why));
      return;
    }
    renewals.add(new Renewal(id, ids, answer));
    renewSoon();
  }

  private void renewSoon() {
    if (!renews && !flushes && !renewals.isEmpty()) {
      flushes = true;
      ports.loop().execute(this::renewNow);
    }
  }

  private void renewNow() {
    flushes = false;
    List<Renewal> batch = new ArrayList<>();
    List<Long> ids = new ArrayList<>();
    while (!renewals.isEmpty() && ids.size() + renewals.element().ids().size() <= IDS_MAX) {
      Renewal next = renewals.remove();
      batch.add(next);
      ids.addAll(next.ids());
    }
    if (!batch.isEmpty()) {
      renews = true;
      node.propose(Commands.leaseRenew(ids, wallTimeMillis()), new Renewing(batch));
    }
  }

  /** Answers the requests of one entry. */
  private final class Renewing implements ProposalListener<ApplyResult> {
    private final List<Renewal> batch;

    Renewing(List<Renewal> batch) {
      this.batch = batch;
    }

    @Override
    public void applied(ApplyResult result) {
      if (!(result instanceof ApplyResult.LeasesRenewed renewed)) {
        throw new AssertionError("a renewal results in a renewal: " + result);
      }
      int at = 0;
      for (Renewal renewal : batch) {
        int end = at + renewal.ids().size();
        LeaseRenewResponse.Builder response = LeaseRenewResponse.newBuilder();
        renewed
            .renewals()
            .subList(at, end)
            .forEach(one -> response.addTtlMillis(one.ttl().toMillis()));
        renewal
            .answer()
            .accept(
                answers.frame(renewal.request(), renewed.header()).setLeaseRenew(response).build());
        at = end;
      }
      goOn();
    }

    @Override
    public void refused(Refusal why) {
      batch.forEach(one -> one.answer().accept(answers.refused(one.request(), why)));
      goOn();
    }

    @Override
    public void unknown(String why) {
      batch.forEach(one -> one.answer().accept(answers.unknown(one.request(), why)));
      goOn();
    }

    private void goOn() {
      renews = false;
      renewSoon();
    }
  }

  /** Linearizable; what time is left is the leader's to say. */
  void status(long id, LeaseStatusRequest request, Consumer<ServerFrame> answer) {
    node.read(
        new Read(id, answer) {
          @Override
          public Runnable read() {
            LeaseRow row = machine.lease(request.getId());
            List<Bytes> keys =
                row != null && request.getKeys() ? machine.leaseKeys(request.getId()) : List.of();
            ServerFrame.Builder frame = answers.frame(id, machine.header());
            return () -> answer.accept(statusAnswer(frame, request.getId(), row, keys));
          }
        });
  }

  private ServerFrame statusAnswer(
      ServerFrame.Builder frame, long lease, @Nullable LeaseRow row, List<Bytes> keys) {
    LeaseStatusResponse.Builder status = LeaseStatusResponse.newBuilder();
    if (row != null) {
      // What was granted just now has not come here yet; nor has anything if we just began to
      // lead.
      Long remaining = leads() ? deadlines.remainingMillis(lease) : null;
      status
          .setTtlMillis(row.ttlMillis())
          .setRemainingMillis(remaining == null ? row.remainingMillis() : remaining);
    }
    long bytes = 0;
    for (Bytes key : keys) {
      bytes += key.size() + Long.BYTES;
      status.addKey(Wire.toProto(key));
    }
    if (bytes > ProtocolLimits.ANSWER_BYTES_MAX) {
      String why =
          "the keys of lease "
              + lease
              + " have more than the "
              + ProtocolLimits.ANSWER_BYTES_MAX
              + " bytes of an answer; ask without them";
      return answers.rejected(frame.getId(), Reason.TOO_LARGE, why);
    }
    return frame.setLeaseStatus(status).build();
  }

  /** Linearizable; only those that somebody has asked for. */
  void list(long id, Consumer<ServerFrame> answer) {
    node.read(
        new Read(id, answer) {
          @Override
          public Runnable read() {
            LeaseListResponse list =
                LeaseListResponse.newBuilder().addAllId(machine.leaseIds(LeaseKind.USER)).build();
            ServerFrame.Builder frame = answers.frame(id, machine.header());
            return () -> answer.accept(frame.setLeaseList(list).build());
          }
        });
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
    public void refused(Refusal why) {
      answer.accept(answers.refused(id, why));
    }
  }

  /** Keeps time from now on, until the node stops. */
  void tick() {
    if (node.isStopped()) {
      return;
    }
    ports.loop().schedule(this::tick, TICK_NANOS);
    deadlines.look(ports.clock().nanoTime());
    if (takesChanges) {
      return;
    }
    if (node.role() == RoleName.LEADER && ledTerm != node.term()) {
      beginToLead();
    } else if (machine.hasLeaseChanges()) {
      takeChanges();
    } else {
      act();
    }
  }

  /** What has become known is known here. */
  private void act() {
    if (!leads()) {
      return;
    }
    deadlines.expired(EXPIRIES_MAX).forEach(this::expire);
    writeDown(deadlines.checkpoints(IDS_MAX));
  }

  private boolean leads() {
    return node.role() == RoleName.LEADER && ledTerm == node.term();
  }

  /** When all is applied that earlier leaders may have acknowledged, checkpoints among it. */
  private void beginToLead() {
    takesChanges = true;
    long term = node.term();
    node.read(
        new ReadListener() {
          @Override
          public Runnable read() {
            List<LeaseChange> changes = machine.takeLeaseChanges();
            return () -> {
              changed(changes);
              ledTerm = term;
              deadlines.lead();
            };
          }

          @Override
          public void refused(Refusal why) {
            takesChanges = false;
          }
        });
  }

  /** Nothing overtakes this: what it brings may not be older than what is known. */
  private void takeChanges() {
    takesChanges = true;
    ports
        .applyLane()
        .execute(
            () -> {
              List<LeaseChange> changes = machine.takeLeaseChanges();
              ports.loop().execute(() -> changed(changes));
            });
  }

  private void changed(List<LeaseChange> changes) {
    takesChanges = false;
    deadlines.look(ports.clock().nanoTime());
    deadlines.apply(changes);
    act();
  }

  private void expire(LeaseDeadlines.Expiry expiry) {
    long id = expiry.id();
    deadlines.proposed(id);
    byte[] command = Commands.leaseExpire(id, expiry.row().renewedIndex(), wallTimeMillis());
    node.propose(command, new Settling(() -> deadlines.settled(id)));
  }

  private void writeDown(Map<Long, LeaseRow> remaining) {
    if (checkpoints || remaining.isEmpty()) {
      return;
    }
    checkpoints = true;
    remaining.keySet().forEach(deadlines::proposed);
    node.propose(
        Commands.leaseCheckpoint(remaining, wallTimeMillis()),
        new Settling(
            () -> {
              checkpoints = false;
              remaining.keySet().forEach(deadlines::settled);
            }));
  }
}
