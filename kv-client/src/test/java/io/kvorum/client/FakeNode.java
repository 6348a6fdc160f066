package io.kvorum.client;

import io.kvorum.client.FakeNetwork.FakeConnection;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Consistency;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.Leader;
import io.kvorum.protocol.Limits;
import io.kvorum.protocol.ServerFrame;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** A server that follows the protocol, but for what a test tells it to do wrong. */
final class FakeNode {
  enum Reach {
    UP,
    REFUSING,
    UNREACHABLE
  }

  final String nodeId;
  final String endpoint;
  final FakeStore store;
  final List<FakeConnection> connections = new ArrayList<>();

  /** When each attempt to connect came. */
  final List<Duration> attempts = new ArrayList<>();

  /** Everything that arrived while it listened. */
  final List<ClientFrame> received = new ArrayList<>();

  Reach reach = Reach.UP;

  /** Stopped: connections stay, nothing is read. */
  boolean stopped;

  /** Executes, but answers only Hello and status. */
  boolean swallowsAnswers;

  boolean takesMore = true;
  String clusterId = "c1";

  /** Leaves it to the client to look at the cluster id. */
  boolean greetsAnyCluster;

  Limits limits = Limits.getDefaultInstance();

  /** Who it says leads; null: nobody that it knows. */
  FakeNode leader;

  /** Whether it says where the leader listens. */
  boolean knowsLeaderEndpoint = true;

  /** Answers what may be stale though it does not lead. */
  boolean answersStale;

  /** Errors for the next requests, one each. */
  final Deque<Error> refusals = new ArrayDeque<>();

  /** Instead of an answer to the next request. */
  ServerFrame wrongAnswer;

  Error refusesHello;

  /** Takes frames about watches; null: this server has never heard of them. */
  BiConsumer<FakeConnection, ClientFrame> watches;

  private final Deque<Runnable> unread = new ArrayDeque<>();

  private record Refused(long session, long sequence, Error why) {}

  private final Map<FakeConnection, Refused> refused = new HashMap<>();

  FakeNode(String nodeId, String endpoint, FakeStore store) {
    this.nodeId = nodeId;
    this.endpoint = endpoint;
    this.store = store;
  }

  void receive(FakeConnection connection, ClientFrame frame) {
    if (stopped) {
      unread.add(() -> receive(connection, frame));
      return;
    }
    received.add(frame);
    if (watches != null && isAboutWatches(frame)) {
      watches.accept(connection, frame);
      return;
    }
    ServerFrame.Builder answer = ServerFrame.newBuilder().setId(frame.getId());
    boolean request = false;
    switch (frame.getBodyCase()) {
      case HELLO -> hello(frame, answer);
      case STATUS -> answer.getStatusBuilder().setNodeId(nodeId).setClusterId(clusterId);
      default -> {
        request = true;
        if (!overtakes(connection, frame, answer)) {
          execute(frame, answer);
          noteRefusal(connection, frame, answer);
        }
      }
    }
    if (request && wrongAnswer != null) {
      connection.reply(wrongAnswer.toBuilder().setId(frame.getId()).build());
      wrongAnswer = null;
    } else if (!(request && swallowsAnswers)) {
      connection.reply(answer.build());
    }
  }

  private static boolean isAboutWatches(ClientFrame frame) {
    return frame.hasWatchCreate()
        || frame.hasWatchCredit()
        || frame.hasWatchCancel()
        || frame.hasWatchProgress();
  }

  private void hello(ClientFrame frame, ServerFrame.Builder answer) {
    String wanted = frame.getHello().getClusterId();
    if (refusesHello != null) {
      answer.setError(refusesHello);
    } else if (!greetsAnyCluster && !wanted.isEmpty() && !wanted.equals(clusterId)) {
      answer.setError(
          Error.newBuilder()
              .setKind(Error.Kind.REJECTED)
              .setReason(Error.Reason.WRONG_CLUSTER)
              .setMessage("this is cluster " + clusterId + ", not " + wanted));
    } else {
      answer.setHello(
          HelloResponse.newBuilder()
              .setProtocolVersion(1)
              .setClusterId(clusterId)
              .setNodeId(nodeId)
              .setLeader(leader())
              .setLimits(limits));
    }
  }

  private Leader leader() {
    Leader.Builder who = Leader.newBuilder();
    if (leader != null) {
      who.setNodeId(leader.nodeId);
      if (knowsLeaderEndpoint) {
        who.setEndpoint(leader.endpoint);
      }
    }
    return who.build();
  }

  /** Behind a numbered request that was refused nothing of its session is taken. */
  private boolean overtakes(
      FakeConnection connection, ClientFrame frame, ServerFrame.Builder answer) {
    Refused before = refused.get(connection);
    if (!frame.hasNumbered()
        || before == null
        || before.session() != frame.getNumbered().getSession()) {
      return false;
    }
    if (frame.getNumbered().getSequence() <= before.sequence()
        || frame.getNumbered().getAcknowledgedBelow() > before.sequence()) {
      refused.remove(connection);
      return false;
    }
    answer.setError(before.why());
    return true;
  }

  private void noteRefusal(
      FakeConnection connection, ClientFrame frame, ServerFrame.Builder answer) {
    if (frame.hasNumbered() && answer.getError().getKind() == Error.Kind.UNAVAILABLE) {
      long session = frame.getNumbered().getSession();
      long sequence = frame.getNumbered().getSequence();
      refused.put(connection, new Refused(session, sequence, answer.getError()));
    }
  }

  private void execute(ClientFrame frame, ServerFrame.Builder answer) {
    if (!refusals.isEmpty()) {
      Error refusal = refusals.poll();
      if (refusal.getKind() == Error.Kind.OUTCOME_UNKNOWN) {
        store.execute(frame, ServerFrame.newBuilder());
      }
      answer.setError(refusal);
    } else if (leader != this
        && !(answersStale && frame.getRange().getConsistency() == Consistency.BOUNDED_STALENESS)) {
      answer.setError(
          Error.newBuilder()
              .setKind(Error.Kind.UNAVAILABLE)
              .setReason(Error.Reason.NOT_LEADER)
              .setMessage("not the leader")
              .setLeader(leader()));
    } else {
      store.execute(frame, answer);
    }
  }

  /** Reads what arrived while it was stopped. */
  void resume() {
    stopped = false;
    while (!unread.isEmpty()) {
      unread.poll().run();
    }
  }

  /** Dies: its connections break, new ones are refused. */
  void kill() {
    reach = Reach.REFUSING;
    unread.clear();
    stopped = false;
    cutConnections();
  }

  void cutConnections() {
    List.copyOf(connections).forEach(FakeConnection::cut);
  }

  void takeMore() {
    takesMore = true;
    connections.forEach(FakeConnection::tellWritable);
  }

  /** Requests other than Hello and status. */
  long requests() {
    return received.stream().filter(frame -> !frame.hasHello() && !frame.hasStatus()).count();
  }

  long hellos() {
    return received.stream().filter(ClientFrame::hasHello).count();
  }
}
