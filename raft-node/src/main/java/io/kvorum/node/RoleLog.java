package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.raft.RaftStatus.StepDown;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once who leads, whenever that changes. */
final class RoleLog {
  private static final Logger LOG = LoggerFactory.getLogger(RoleLog.class);

  private final NodeId self;
  private RoleName role = RoleName.FOLLOWER;
  private long term;
  private @Nullable NodeId leader;

  RoleLog(NodeId self) {
    this.self = self;
  }

  /**
   * Whether role, term or leader differ from the last call.
   *
   * @param stepDown why this node last ceased to lead
   */
  boolean changed(
      RoleName newRole, long newTerm, @Nullable NodeId newLeader, @Nullable StepDown stepDown) {
    if (newRole == role && newTerm == term && Objects.equals(newLeader, leader)) {
      return false;
    }
    boolean led = leads();
    role = newRole;
    term = newTerm;
    leader = newLeader;
    if (leads()) {
      LOG.info("{} leads term {}", self, term);
    } else if (led) {
      LOG.info("{} leads no more: {}; term {}, leader {}", self, why(stepDown), term, leader);
    } else if (leader != null) {
      LOG.info("{} follows {} in term {}", self, leader, term);
    } else {
      LOG.debug("{} knows no leader; {} in term {}", self, role, term);
    }
    return true;
  }

  /** The node stops itself. On any lane. */
  void failed(Throwable failure) {
    if (failure instanceof RemovedException removed) {
      LOG.warn(removed.getMessage());
    } else {
      LOG.error("{} stops itself: {}", self, failure.toString(), failure);
    }
  }

  private static String why(@Nullable StepDown stepDown) {
    if (stepDown == null) {
      return "for no known reason";
    }
    return switch (stepDown) {
      case HIGHER_TERM -> "another node has a higher term";
      case NO_MAJORITY -> "no majority answers";
      case TRANSFERRED -> "it handed over";
      case DISK_STALLED -> "its disk does not answer";
      case QUARANTINED -> "its state is wrong";
      case REMOVED -> "it is no voter any more";
    };
  }

  boolean leads() {
    return role == RoleName.LEADER;
  }
}
