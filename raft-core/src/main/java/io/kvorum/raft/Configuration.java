package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who is in the group, as this node sees it: the one place where that is derived. It is a function
 * of the state that the log stands on and of the log: the newest membership in it counts, committed
 * or not (§6). {@link RaftLog} tells every change of the log.
 */
final class Configuration {
  private record Version(EntryId id, Membership membership) {}

  private final NodeId self;

  /** The newest one at or below the commit index, then all above, so that a truncation is cheap. */
  private final ArrayDeque<Version> versions = new ArrayDeque<>();

  private Electorate electorate;
  private List<NodeId> peers = List.of();
  private boolean wasMember;
  private @Nullable EntryId removedBy;
  private @Nullable Membership unreported;

  Configuration(NodeId self, SnapshotMeta base) {
    this.self = self;
    electorate = new Electorate(base.membership());
    reset(base);
    unreported = null;
  }

  /** The log stands on this state now, and is empty behind it. */
  void reset(SnapshotMeta base) {
    versions.clear();
    versions.add(new Version(base.last(), base.membership()));
    changed();
  }

  /** An entry was added behind the last. */
  void appended(Entry entry) {
    if (entry.type() == EntryType.MEMBERSHIP) {
      versions.add(new Version(entry.id(), Membership.decode(entry.payload())));
      changed();
    }
  }

  /** The entries above {@code index} are gone. */
  void truncated(long index) {
    boolean isOther = false;
    while (newest().id().index() > index) {
      versions.removeLast();
      isOther = true;
    }
    if (isOther) {
      changed();
    }
  }

  /** The entries up to {@code index} stay for good. */
  void committed(long index) {
    while (versions.size() > 1) {
      Version first = versions.removeFirst();
      if (versions.getFirst().id().index() > index) {
        versions.addFirst(first);
        return;
      }
    }
  }

  private void changed() {
    Membership membership = membership();
    electorate = new Electorate(membership);
    TreeSet<NodeId> others = new TreeSet<>(membership.members());
    others.remove(self);
    peers = List.copyOf(others);
    wasMember |= membership.isMember(self);
    unreported = membership;
  }

  private Version newest() {
    return versions.getLast();
  }

  Membership membership() {
    return newest().membership();
  }

  /** The entry that brought the membership, or the last one of the state that did. */
  EntryId id() {
    return newest().id();
  }

  /** Whether the membership is known to stay. */
  boolean isCommitted() {
    return versions.size() == 1;
  }

  /** The membership, once after each change. */
  @Nullable Membership takeChanged() {
    Membership taken = unreported;
    unreported = null;
    return taken;
  }

  boolean hasChanged() {
    return unreported != null;
  }

  Electorate electorate() {
    return electorate;
  }

  /** All members but this one, in order of name. */
  List<NodeId> peers() {
    return peers;
  }

  boolean isVoter(NodeId node) {
    return membership().isVoter(node);
  }

  /**
   * Whether this node may try to lead. It may as long as its removal is not known to be committed:
   * its log may be the only one that can win (FAULTS F083).
   */
  boolean mayCampaign() {
    if (isToldRemoved()) {
      return false;
    }
    for (Version version : versions) {
      if (version.membership().isVoter(self)) {
        return true;
      }
    }
    return false;
  }

  boolean isSoleVoter() {
    return electorate.isOnly(self);
  }

  /** A leader says that a committed membership does not name us. Whether that was news. */
  boolean removed(EntryId by) {
    if (isToldRemoved() || !isNews(by)) {
      return false;
    }
    removedBy = by;
    return true;
  }

  private boolean isToldRemoved() {
    return removedBy != null && isNews(removedBy);
  }

  /**
   * A newer membership in our log says more than what we are told: we may be back. Of the newest
   * one itself, if we have it, we are told that it is committed.
   */
  private boolean isNews(EntryId by) {
    int order = by.compareTo(id());
    return !membership().isEmpty() && (order > 0 || (order == 0 && !membership().isMember(self)));
  }

  /** Whether this node was a member and is known not to be one any more. */
  boolean isRemoved() {
    return isToldRemoved() || (isCommitted() && wasMember && !membership().isMember(self));
  }
}
