package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.MemberInfo.Role;
import io.kvorum.api.Members;
import io.kvorum.node.Clock;
import io.kvorum.node.Loop;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.RaftNode;
import io.kvorum.node.ReadListener;
import io.kvorum.node.Refusal;
import io.kvorum.protocol.MembersChangeRequest;
import io.kvorum.protocol.MembersWire;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TransferRequest;
import io.kvorum.protocol.TransferResponse;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Answers requests about the members: who they are, to change them, who of them shall lead. */
final class MembersService {
  /** More voters make every write slower and nothing safer. */
  private static final int VOTERS_MAX = 9;

  private static final long LOOK_NANOS = 20_000_000;
  private static final long HAND_OVER_NANOS_MIN = 1_000_000_000;

  private final ServerConfig config;
  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final Roster roster;
  private final Answers answers;
  private final Clock clock;
  private final Loop loop;

  MembersService(
      ServerConfig config,
      RaftNode<ApplyResult> node,
      KvStateMachine machine,
      Roster roster,
      Answers answers,
      Clock clock,
      Loop loop) {
    this.config = config;
    this.node = node;
    this.machine = machine;
    this.roster = roster;
    this.answers = answers;
    this.clock = clock;
    this.loop = loop;
  }

  /** What that node does in this membership. Of a group that is not known, all count as voters. */
  static Role role(NodeId id, Membership membership) {
    if (membership.learners().contains(id)) {
      return Role.LEARNER;
    }
    return membership.outgoing().contains(id) && !membership.voters().contains(id)
        ? Role.OUTGOING
        : Role.VOTER;
  }

  /**
   * Linearizable, like a read of a key: whoever bases a change on it must not miss the last one.
   */
  void members(long id, Consumer<ServerFrame> answer) {
    node.read(
        new ReadListener() {
          @Override
          public Runnable read() {
            return () -> answer.accept(membersAnswer(id, node.status().membership()));
          }

          @Override
          public void refused(Refusal why) {
            answer.accept(answers.refused(id, why));
          }
        });
  }

  private ServerFrame membersAnswer(long id, Membership membership) {
    List<MemberInfo> infos = new ArrayList<>();
    for (NodeId member : membership.members()) {
      Member known = roster.member(member, membership.addresses().get(member));
      String address = known == null ? "" : known.address();
      infos.add(new MemberInfo(member.name(), address, role(member, membership)));
    }
    Members members = new Members(infos, version(membership));
    return answers.frame(id, machine.header()).setMembers(MembersWire.toProto(members)).build();
  }

  private static Bytes version(Membership membership) {
    return Bytes.copyOf(membership.encode());
  }

  /** Begins a change, if the members are still those that it is based on. */
  void change(long id, MembersChangeRequest request, Consumer<ServerFrame> answer) {
    RaftStatus status = node.status();
    if (status.role() != RaftStatus.RoleName.LEADER) {
      node.seekLeader();
      answer.accept(answers.refused(id, new Refusal.NotLeader(status.leader())));
      return;
    }
    Membership now = status.membership();
    if (!Wire.fromProto(request.getVersion()).equals(version(now))) {
      String why = "the members were changed meanwhile, they are " + now + "; nothing was changed";
      answer.accept(answers.rejected(id, Reason.MEMBERS_CHANGED, why));
      return;
    }
    MembershipChange change;
    try {
      change = change(MembersWire.members(request), now);
    } catch (IllegalArgumentException malformed) {
      String why = malformed.getMessage() + "; nothing was changed";
      answer.accept(answers.rejected(id, Reason.INVALID_ARGUMENT, why));
      return;
    }
    node.changeMembership(change, new Outcome(id, answer));
  }

  private MembershipChange change(Members wanted, Membership now) {
    TreeSet<NodeId> voters = new TreeSet<>();
    TreeSet<NodeId> learners = new TreeSet<>();
    TreeMap<NodeId, String> addresses = new TreeMap<>();
    TreeSet<String> ports = new TreeSet<>();
    for (MemberInfo info : wanted.members()) {
      NodeId member = new NodeId(info.id());
      (info.role() == Role.LEARNER ? learners : voters).add(member);
      Member at = place(member, info.address(), now);
      addresses.put(member, at.address());
      boolean first = ports.add(at.host() + ":" + at.clientPort());
      boolean second = ports.add(at.host() + ":" + at.peerPort());
      check(first && second, "member " + member + " names a host and port that another member has");
      check(
          config.peerPortOpen() || member.equals(config.nodeId()),
          config.nodeId()
              + " is embedded as a cluster of one without a port for other members: give it"
              + " members (itself) in its configuration to let it grow");
    }
    check(
        voters.size() <= VOTERS_MAX,
        voters.size() + " voters; at most " + VOTERS_MAX + " are allowed");
    return new MembershipChange(voters, learners, addresses);
  }

  /** Whoever joins learns from the log where the others are: so each needs an address in it. */
  private Member place(NodeId member, String address, Membership now) {
    if (!address.isEmpty()) {
      return Member.parse(member + "=" + address);
    }
    Member known = roster.member(member, now.addresses().get(member));
    check(known != null, "member " + member + " needs an address: host:clientPort:peerPort");
    return Objects.requireNonNull(known);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }

  /** Hands over, and answers when the other one leads. */
  void transfer(long id, TransferRequest request, Consumer<ServerFrame> answer) {
    RaftStatus status = node.status();
    if (status.role() != RaftStatus.RoleName.LEADER) {
      node.seekLeader();
      answer.accept(answers.refused(id, new Refusal.NotLeader(status.leader())));
      return;
    }
    NodeId target;
    try {
      target = new NodeId(request.getNodeId());
    } catch (IllegalArgumentException malformed) {
      answer.accept(
          answers.rejected(id, Reason.INVALID_ARGUMENT, String.valueOf(malformed.getMessage())));
      return;
    }
    if (!target.equals(config.nodeId()) && !node.transferLeadership(target)) {
      String why =
          status.membership().isVoter(target)
              ? "another transfer is under way; try again"
              : target
                  + " is no voter, so it cannot lead; voters are "
                  + status.membership().voters();
      answer.accept(answers.rejected(id, Reason.MEMBERS_REFUSED, why));
      return;
    }
    long patience = Math.max(HAND_OVER_NANOS_MIN, 3 * config.electionTimeout().toNanos());
    new HandOver(id, target, clock.nanoTime() + patience, answer).look();
  }

  /** A transfer under way. */
  private final class HandOver {
    private final long id;
    private final NodeId target;
    private final long endNanos;
    private final Consumer<ServerFrame> answer;

    HandOver(long id, NodeId target, long endNanos, Consumer<ServerFrame> answer) {
      this.id = id;
      this.target = target;
      this.endNanos = endNanos;
      this.answer = answer;
    }

    void look() {
      RaftStatus now = node.status();
      if (target.equals(now.leader())) {
        answer.accept(
            answers
                .frame(id, machine.header())
                .setTransfer(TransferResponse.getDefaultInstance())
                .build());
      } else if (clock.nanoTime() - endNanos < 0) {
        loop.schedule(this::look, LOOK_NANOS);
      } else if (now.role() == RaftStatus.RoleName.LEADER) {
        String why = target + " has not taken over in time, " + config.nodeId() + " leads on";
        answer.accept(answers.rejected(id, Reason.MEMBERS_REFUSED, why));
      } else {
        answer.accept(
            answers.unknown(id, "it leads no more, and does not hear " + target + " lead"));
      }
    }
  }

  /** Answers with what became of a change. */
  private final class Outcome implements ProposalListener<Membership> {
    private final long id;
    private final Consumer<ServerFrame> answer;

    Outcome(long id, Consumer<ServerFrame> answer) {
      this.id = id;
      this.answer = answer;
    }

    @Override
    public void applied(Membership membership) {
      answer.accept(membersAnswer(id, membership));
    }

    @Override
    public void refused(Refusal why) {
      answer.accept(answers.refused(id, why));
    }

    @Override
    public void unknown(String why) {
      answer.accept(answers.unknown(id, why));
    }
  }
}
