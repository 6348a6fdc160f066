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
   * @return one result for each entry, in order; of fewer entries, the first ones, perhaps none, if
   *     the last of them, or the next one, has shown that this state is wrong: then {@link
   *     StateChecks#finding} says so. Nothing of that next one may become durable
   */
  List<R> apply(List<Entry> entries);

  /**
   * Begins a snapshot: all that was applied so far reaches what the checkpoint will be taken of; of
   * a state that {@linkplain Contradiction contradicts} the log, what is durable is enough. Cheap;
   * what takes long is done by {@link Checkpoint#writeTo}.
   */
  Checkpoint checkpoint();

  /**
   * Replaces the whole state, durably, by one that a {@link Checkpoint} wrote, here or on another
   * member: nothing old survives, and what is derived from the state is built anew. From then on
   * the last entry applied is {@code meta.last()}.
   *
   * <p>A crash in between may leave neither the old state nor the new one: then the caller installs
   * the same files again before the state is opened.
   *
   * @param files of the checkpoint; not changed, though they may be linked
   */
  void install(Disk files, SnapshotMeta meta);

  /**
   * Makes all that was applied durable and gives resources back. Waits for readers. Not called
   * after a failure of this state machine: then {@link #abandon()} is.
   */
  @Override
  void close();

  /** Gives resources back and makes nothing durable. */
  void abandon();

  /** How its states are compared with those of other members. Any thread. */
  default StateChecks checks() {
    return StateChecks.NONE;
  }

  /**
   * What the entries that were applied so far have needed of a version that reads them. Durable
   * with their effect, part of a snapshot, and never less than before. Any thread.
   */
  default Features usedFeatures() {
    return Features.NONE;
  }

  /** A snapshot that has begun. */
  interface Checkpoint {
    /**
     * Writes the state of one instant at or after {@link StateMachine#checkpoint}: all that an
     * {@link #install} needs. Called once, on any thread, while entries are applied; never while a
     * state is installed or the state machine is closed.
     *
     * <p>On return the state machine's own state is durable at least as far: the log up to there is
     * needed by nobody here. The files need not be synced.
     *
     * @param files an empty directory
     * @throws java.io.UncheckedIOException if the disk does not take them; the state machine is as
     *     it was
     */
    Written writeTo(Disk files);
  }

  /**
   * What was written.
   *
   * @param meta the last entry in it, and the members as of then
   * @param about what a person or a tool wants to know of the state; only the state machine
   *     understands it
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed on to the manifest, and not compared.
  record Written(SnapshotMeta meta, byte[] about) {}
}
