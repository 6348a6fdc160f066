package io.kvorum.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.List;

/** A history made by hand, and what a checker says of it. */
final class Events {
  static final NodeId N1 = new NodeId("n1");
  static final NodeId N2 = new NodeId("n2");
  static final NodeId N3 = new NodeId("n3");

  private final List<SimEvent> events = new ArrayList<>();

  static EntryDigest entry(long index, long term) {
    return entry(index, term, 1000 * index + term);
  }

  static EntryDigest entry(long index, long term, long payload) {
    return new EntryDigest(index, term, EntryType.COMMAND, payload);
  }

  private Events add(SimEvent event) {
    events.add(event);
    return this;
  }

  private long now() {
    return 1000L * events.size();
  }

  Events started(NodeId node, int life) {
    return add(new SimEvent.Started(now(), node, life));
  }

  Events startAll() {
    Membership all = Membership.of(List.of(N1, N2, N3));
    started(N1, 0).started(N2, 0).started(N3, 0);
    return group(N1, all).group(N2, all).group(N3, all);
  }

  /** The node acts by this membership from now on. */
  Events group(NodeId node, Membership membership) {
    return add(new SimEvent.GroupChanged(now(), node, membership));
  }

  Events stopped(NodeId node) {
    return add(new SimEvent.Stopped(now(), node, "killed"));
  }

  Events restarted(NodeId node, int life) {
    return stopped(node).started(node, life);
  }

  Events leads(NodeId node, long term) {
    return add(new SimEvent.RoleTaken(now(), node, term, RoleName.LEADER));
  }

  Events follows(NodeId node, long term) {
    return add(new SimEvent.RoleTaken(now(), node, term, RoleName.FOLLOWER));
  }

  Events campaigns(NodeId node, long term) {
    return add(new SimEvent.RoleTaken(now(), node, term, RoleName.CANDIDATE));
  }

  Events delivered(NodeId from, NodeId to, long term, Message message) {
    return add(new SimEvent.Delivered(now(), events.size(), new Envelope(from, to, term, message)));
  }

  Events stored(NodeId node, EntryDigest... entries) {
    return add(new SimEvent.Stored(now(), node, List.of(entries)));
  }

  Events moved(NodeId node, EntryDigest last, long durable, long commit) {
    return moved(node, last.id(), durable, commit);
  }

  Events moved(NodeId node, EntryId last, long durable, long commit) {
    return add(new SimEvent.LogMoved(now(), node, last, durable, commit));
  }

  /** Stored, and known to be the end of the log. */
  Events holds(NodeId node, long commit, EntryDigest... entries) {
    EntryDigest last = entries[entries.length - 1];
    return stored(node, entries).moved(node, last, last.index(), commit);
  }

  Events applied(NodeId node, EntryDigest entry) {
    return applied(node, entry, entry.payloadHash(), entry.index() + 1);
  }

  Events applied(NodeId node, EntryDigest entry, long result, long revision) {
    return add(new SimEvent.Applied(now(), node, entry, result, revision));
  }

  /** A lease is renewed, by nobody whose calls are seen. */
  Events leaseUsed() {
    return add(new SimEvent.LeaseTold(now(), SimEvent.LeaseNews.RENEWED, 1, now(), 1000));
  }

  Events snapshot(SimEvent.SnapshotNews news, NodeId node, EntryId last) {
    return add(new SimEvent.SnapshotTold(now(), news, node, last));
  }

  Events state(SimEvent.StateNews news, NodeId node) {
    return add(new SimEvent.StateTold(now(), news, node, 0));
  }

  Events lacks(NodeId node, boolean lacks) {
    return add(new SimEvent.LogLacks(now(), node, lacks));
  }

  Events struck(Fault fault) {
    return add(new SimEvent.FaultStruck(now(), fault));
  }

  Events hashed(NodeId node, long index, long hash) {
    return add(new SimEvent.StateHashed(now(), node, index, hash));
  }

  Events sent(NodeId from, NodeId to, long term, Message message) {
    return add(new SimEvent.Sent(now(), events.size(), new Envelope(from, to, term, message)));
  }

  Events heartbeat(NodeId from, NodeId to, long term) {
    return sent(from, to, term, new Message.AppendEntries(EntryId.ZERO, List.of(), 0, 0));
  }

  Events called(int client, long operation, ClientOperation call) {
    return add(new SimEvent.Called(now(), client, operation, call));
  }

  Events returned(int client, long operation, ClientOutcome outcome) {
    return add(new SimEvent.Returned(now(), client, operation, outcome));
  }

  Events put(int client, long operation, long revision) {
    Bytes value = Bytes.utf8("v" + operation);
    return called(client, operation, new ClientOperation.Put(Bytes.utf8("k"), value))
        .returned(client, operation, new ClientOutcome.Done(revision, 0, List.of()));
  }

  Events got(int client, long operation, long revision) {
    return called(client, operation, new ClientOperation.Get(Bytes.utf8("k")))
        .returned(client, operation, new ClientOutcome.Done(revision, 0, List.of()));
  }

  private void feed(Checker checker) {
    events.forEach(checker::on);
    checker.atEnd();
  }

  void areFineFor(Checker checker) {
    feed(checker);
    assertThat(events).isNotEmpty();
  }

  /** All but the last event are fine; that one breaks the promise. */
  void endBadlyFor(Checker checker, String... words) {
    events.subList(0, events.size() - 1).forEach(checker::on);
    assertThatThrownBy(() -> checker.on(events.get(events.size() - 1)))
        .isInstanceOfSatisfying(
            Violation.class, found -> assertThat(found.checker()).isEqualTo(checker.name()))
        .hasMessageContainingAll(words);
  }

  /** Every event is fine; but as a whole they break the promise. */
  void areIncompleteFor(Checker checker, String... words) {
    events.forEach(checker::on);
    assertThatThrownBy(checker::atEnd).isInstanceOf(Violation.class).hasMessageContainingAll(words);
  }
}
