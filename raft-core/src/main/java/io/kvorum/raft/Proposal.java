package io.kvorum.raft;

import org.jspecify.annotations.Nullable;

/** What became of a proposal when it was made. Nothing was changed unless it was accepted. */
public sealed interface Proposal {
  /** It is in the leader's log; whether it commits, later {@link Ready}s tell. */
  record Accepted(EntryId id) implements Proposal {}

  /** This node does not lead; who does, as far as it knows. */
  record NotLeader(@Nullable NodeId leader) implements Proposal {}

  /** The leader is about to hand over (thesis §3.10): try again in a moment. */
  record Transferring(NodeId target) implements Proposal {}

  /** Too many bytes are waiting to be committed: try again when some have been. */
  record Overloaded(long uncommittedBytes) implements Proposal {}

  /** The membership cannot be changed so, or not now: what is wrong, and what would be allowed. */
  record MembershipRefused(String why) implements Proposal {}
}
