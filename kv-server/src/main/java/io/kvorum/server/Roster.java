package io.kvorum.server;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Knows where members are: what the group's membership says counts, then what this node was
 * configured with. Used on the node's loop.
 */
final class Roster {
  private final ServerConfig config;
  private Membership membership = Membership.EMPTY;
  private List<String> endpoints = List.of();

  Roster(ServerConfig config) {
    this.config = config;
    refresh();
  }

  /** The group has these members from now on, committed or not. */
  void changed(Membership now) {
    membership = now;
    refresh();
  }

  private void refresh() {
    List<String> found = new ArrayList<>();
    for (NodeId id : ids()) {
      Member member = member(id);
      if (member != null) {
        found.add(member.clientEndpoint());
      }
    }
    if (!found.equals(endpoints)) {
      endpoints = List.copyOf(found);
    }
  }

  /** By which this node acts; empty as long as it does not know its group. */
  Membership membership() {
    return membership;
  }

  /** The members; as long as the group is not known, those that were configured. */
  SortedSet<NodeId> ids() {
    return membership.isEmpty() ? config.configured().members() : membership.members();
  }

  /** Those whose majority decides, but for this node. */
  SortedSet<NodeId> otherVoters() {
    TreeSet<NodeId> others =
        new TreeSet<>(membership.isEmpty() ? config.configured().voters() : membership.voters());
    others.remove(config.nodeId());
    return others;
  }

  /** Where that node is; null if nobody said so. */
  @Nullable Member member(NodeId id) {
    return member(id, membership.addresses().get(id));
  }

  /**
   * Where that node is.
   *
   * @param address what a membership says about it; null when it says nothing
   */
  @Nullable Member member(NodeId id, @Nullable String address) {
    if (address == null) {
      return config.member(id);
    }
    try {
      return Member.parse(id + "=" + address);
    } catch (IllegalArgumentException notOurs) {
      // Whoever put it there did not go through the checks of a server.
      return config.member(id);
    }
  }

  /** Where clients reach it; empty if nobody said so. */
  String clientEndpoint(NodeId id) {
    Member member = member(id);
    return member == null ? "" : member.clientEndpoint();
  }

  /** Where clients reach the members. The same list as long as nothing changes. */
  List<String> endpoints() {
    return endpoints;
  }
}
