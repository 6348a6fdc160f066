package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.SnapshotMeta;
import java.util.List;

/**
 * What the group replicates. Deterministic: the same entries in the same order give the same state
 * and results on every member.
 *
 * <p>All methods are called on the apply lane, one at a time, except {@link #restored()} and {@link
 * #membership()}, which are called once before. An exception stops the node (FAULTS F024): nothing
 * of the entry that failed may become durable.
 *
 * @param <R> what an entry results in, for who proposed it
 */
public interface StateMachine<R> extends AutoCloseable {
  /**
   * The last entry whose effect is durable in this state; {@link EntryId#ZERO} in a new one. The
   * log is replayed from the entry behind it.
   */
  EntryId restored();

  /**
   * The membership of the newest entry of type {@link EntryType#MEMBERSHIP} up to {@link
   * #restored()}, durable with it; {@link Membership#EMPTY} if there was none. Called once, before
   * the first {@link #apply}.
   */
  Membership membership();

  /**
   * Applies consecutive committed entries of every type. The effects need not be durable on return,
   * only atomic: after a crash the state is that of {@link #restored()} and nothing more.
   *
   * @param entries not empty; the first follows the last one applied
   * @return one result for each entry, in order
   */
  List<R> apply(List<Entry> entries);

  /** On the apply lane: all that was applied reaches what the checkpoint is taken of. */
  Checkpoint checkpoint();

  /**
   * On the apply lane: durably replaces the whole state by what a checkpoint wrote; nothing old
   * survives; applied = meta.last().
   */
  void install(Disk files, SnapshotMeta meta);

  /** A state that is about to be written. */
  interface Checkpoint {
    /** Any thread, once; {@code files} is an empty directory. */
    Written writeTo(Disk files);
  }

  /**
   * What was written.
   *
   * @param about bytes that only the state machine understands
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Written(SnapshotMeta meta, byte[] about) {}

  /**
   * Makes all that was applied durable and gives resources back. Waits for readers. Not called
   * after a failure of this state machine: then {@link #abandon()} is.
   */
  @Override
  void close();

  /** Gives resources back and makes nothing durable. */
  void abandon();
}
