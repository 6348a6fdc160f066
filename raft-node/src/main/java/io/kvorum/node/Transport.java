package io.kvorum.node;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages between members. May lose, repeat, delay and reorder them; never alters them,
 * and never delivers one that is for another node, from another cluster, or from a member whose
 * data directory is not the one first met under that name.
 *
 * <p>All methods and all callbacks run on the node's loop.
 */
public interface Transport extends AutoCloseable {
  /**
   * Whom to reach from now on: called before {@link #start}, and whenever the membership changes,
   * be it committed or not. An implementation decides how long it still serves those who are no
   * members any more; the last they should hear is that they were removed.
   *
   * @param membership with the addresses of members, as far as they were given; empty when the
   *     group is not known yet
   */
  void members(Membership membership);

  /** Starts to listen and to connect. Called once. */
  void start(Receiver receiver);

  /**
   * Queues a message. Drops it when the peer cannot be reached or its queue is full: the protocol
   * repeats what matters (FAULTS F149).
   */
  void send(Envelope envelope);

  /**
   * Queues a frame about a snapshot, or drops it: the one who waits for it asks again. A peer whose
   * version does not know such frames is sent none.
   */
  void send(NodeId to, SnapshotFrame frame);

  /**
   * What a member has announced on the connection to it that is up now; null while there is none.
   * Of this node itself: what it announces.
   */
  @Nullable Features features(NodeId member);

  /** Hands all that was queued to the network: once for each turn of the loop. */
  void flush();

  @Override
  void close();

  /** Where messages arrive. */
  interface Receiver {
    /** A message for this node came in. */
    void received(Envelope envelope);

    /** A frame about a snapshot came in. */
    void received(NodeId from, SnapshotFrame frame);

    /** The connection to or from this member ended: it may be dead. */
    void unreachable(NodeId peer);
  }
}
