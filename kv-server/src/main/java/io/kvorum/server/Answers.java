package io.kvorum.server;

import io.kvorum.api.Header;
import io.kvorum.api.KvException;
import io.kvorum.node.Refusal;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ErrorsWire;
import io.kvorum.protocol.HelloRequest;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.Leader;
import io.kvorum.protocol.Limits;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.NodeId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the frames of answers, above all of those that say no. */
final class Answers {
  private static final Duration RETRY_AFTER = Duration.ofMillis(50);

  private static final String NO_SPACE_ADVICE =
      "; nothing was changed. Reads, deletes, transactions without puts, compaction, and the"
          + " renewal and the end of leases still work: free space, or make more";

  /** Said here and not where it is refused: those words are kept as part of the state. */
  private static final String QUOTA_ADVICE =
      ". To make room, delete keys and then compact up to the newest revision, or raise the quota;"
          + " as soon as it fits, the same is executed";

  private final ServerConfig config;
  private final Roster roster;

  Answers(ServerConfig config, Roster roster) {
    this.config = config;
    this.roster = roster;
  }

  /** An answer without its body. */
  ServerFrame.Builder frame(long id, Header header) {
    return ServerFrame.newBuilder().setId(id).setHeader(Wire.toProto(header));
  }

  /** Accepts a client, or says why not. */
  ServerFrame hello(long id, HelloRequest hello, @Nullable NodeId leader) {
    if (hello.getProtocolVersion() != ProtocolLimits.PROTOCOL_VERSION) {
      return rejected(
          id,
          KvException.Reason.UNSUPPORTED,
          "this server speaks protocol version "
              + ProtocolLimits.PROTOCOL_VERSION
              + ", the client version "
              + hello.getProtocolVersion());
    }
    String cluster = hello.getClusterId();
    if (!cluster.isEmpty() && !cluster.equals(config.clusterId())) {
      return rejected(
          id,
          KvException.Reason.WRONG_CLUSTER,
          "this server belongs to cluster "
              + config.clusterId()
              + ", the client looks for cluster "
              + cluster);
    }
    return ServerFrame.newBuilder()
        .setId(id)
        .setHello(
            HelloResponse.newBuilder()
                .setProtocolVersion(ProtocolLimits.PROTOCOL_VERSION)
                .setClusterId(config.clusterId())
                .setNodeId(config.nodeId().name())
                .setLeader(leader(leader))
                .setLimits(
                    Limits.newBuilder()
                        .setFrameBytesMax(ProtocolLimits.FRAME_BYTES_MAX)
                        .setKeyBytesMax(ProtocolLimits.KEY_BYTES_MAX)
                        .setEntryBytesMax(ProtocolLimits.ENTRY_BYTES_MAX)))
        .build();
  }

  /** It never will be executed as it stands. */
  ServerFrame rejected(long id, io.kvorum.server.store.Refusal refusal) {
    boolean isFull = refusal.reason() == KvException.Reason.SPACE_EXCEEDED;
    return rejected(id, refusal.reason(), refusal.message() + (isFull ? QUOTA_ADVICE : ""));
  }

  /** As {@link #rejected(long, io.kvorum.server.store.Refusal)}, for a read of the past. */
  ServerFrame rejected(long id, io.kvorum.server.store.Refusal refusal, long compactRevision) {
    ServerFrame.Builder frame = rejected(id, refusal).toBuilder();
    if (refusal.reason() == KvException.Reason.REVISION_COMPACTED) {
      frame.getErrorBuilder().setCompactRevision(compactRevision);
    }
    return frame.build();
  }

  /** As {@link #rejected(long, io.kvorum.server.store.Refusal)}. */
  ServerFrame rejected(long id, KvException.Reason reason, String message) {
    return error(id, new KvException.Rejected(reason, message));
  }

  private static ServerFrame error(long id, KvException why) {
    return ServerFrame.newBuilder().setId(id).setError(ErrorsWire.toProto(why)).build();
  }

  /** It was certainly not executed here; it may be elsewhere, or later. */
  ServerFrame refused(long id, Refusal why) {
    if (why instanceof Refusal.Rejected rejected) {
      return rejected(id, KvException.Reason.MEMBERS_REFUSED, rejected.why());
    }
    if (why instanceof Refusal.Lacking lacking) {
      return rejected(id, KvException.Reason.UNSUPPORTED, lacking.why() + "; nothing was changed");
    }
    Error.Builder error = Error.newBuilder().setKind(Error.Kind.UNAVAILABLE);
    if (why instanceof Refusal.NotLeader other) {
      NodeId leader = other.leader();
      error
          .setReason(Error.Reason.NOT_LEADER)
          .setMessage(
              config.nodeId()
                  + " does not lead; "
                  + (leader == null ? "no leader is known" : leader + " does"))
          .setLeader(leader(leader));
    } else if (why instanceof Refusal.Overloaded overloaded) {
      error
          .setReason(Error.Reason.OVERLOADED)
          .setMessage(overloaded.uncommittedBytes() + " bytes already wait to be committed")
          .setRetryAfterMillis((int) RETRY_AFTER.toMillis());
    } else if (why instanceof Refusal.NoSpace full && full.othersHave()) {
      // Another member is about to lead. It takes what we do not.
      return busy(id, full.why(), RETRY_AFTER);
    } else if (why instanceof Refusal.NoSpace full) {
      return error(id, new KvException.NoSpace(full.why() + NO_SPACE_ADVICE));
    } else if (why instanceof Refusal.Stopped stopped) {
      error
          .setReason(Error.Reason.SHUTTING_DOWN)
          .setMessage(config.nodeId() + ": " + stopped.why());
    } else {
      throw new AssertionError("unknown refusal " + why);
    }
    return ServerFrame.newBuilder().setId(id).setError(error).build();
  }

  /** It was applied, and not executed: there is no room for its result at the moment. */
  ServerFrame full(long id, String message) {
    return busy(id, message, RETRY_AFTER);
  }

  /** It was not executed; later it may be. */
  ServerFrame busy(long id, String message, Duration retryAfter) {
    return error(id, new KvException.Overloaded(message, retryAfter));
  }

  /** It may have been executed. */
  ServerFrame unknown(long id, String why) {
    return ServerFrame.newBuilder()
        .setId(id)
        .setError(
            Error.newBuilder()
                .setKind(Error.Kind.OUTCOME_UNKNOWN)
                .setReason(Error.Reason.LEADERSHIP_LOST)
                .setMessage(config.nodeId() + ": " + why))
        .build();
  }

  private Leader leader(@Nullable NodeId leader) {
    if (leader == null) {
      return Leader.getDefaultInstance();
    }
    return Leader.newBuilder()
        .setNodeId(leader.name())
        .setEndpoint(roster.clientEndpoint(leader))
        .build();
  }
}
