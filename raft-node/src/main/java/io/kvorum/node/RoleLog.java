package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
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

  /** Whether role, term or leader differ from the last call. */
  boolean changed(RoleName newRole, long newTerm, @Nullable NodeId newLeader) {
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
      LOG.info("{} leads no more; term {}, leader {}", self, term, leader);
    } else if (leader != null) {
      LOG.info("{} follows {} in term {}", self, leader, term);
    } else {
      LOG.debug("{} knows no leader; {} in term {}", self, role, term);
    }
    return true;
  }

  boolean leads() {
    return role == RoleName.LEADER;
  }
}
