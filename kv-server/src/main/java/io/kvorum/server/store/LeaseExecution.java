package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.raft.Entry;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.LeaseCheckpoint;
import io.kvorum.server.store.protocol.LeaseExpire;
import io.kvorum.server.store.protocol.LeaseGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Executes a command about leases. No clock reaches it: the log alone says which lease exists
 * (docs/adr/0010).
 */
final class LeaseExecution {
  private final LeaseRows leases;
  private final Rows rows;
  private final Overlay overlay;
  private final long revision;
  private final Entry entry;
  private final Changes changes;

  /**
   * An execution.
   *
   * @param revision before the entry
   */
  LeaseExecution(Rows rows, Overlay overlay, long revision, Entry entry) {
    this.leases = overlay.leases();
    this.rows = rows;
    this.overlay = overlay;
    this.revision = revision;
    this.entry = entry;
    this.changes = new Changes(rows);
  }

  /** Executes it; what comes back becomes the result when the header after the entry is known. */
  Function<Header, ApplyResult> execute(Command command) {
    return switch (command.getOpCase()) {
      case LEASE_GRANT -> grant(command.getLeaseGrant());
      case LEASE_REVOKE -> revoke(command.getLeaseRevoke().getId());
      case LEASE_RENEW -> renew(command.getLeaseRenew().getIdList());
      case LEASE_EXPIRE -> expire(command.getLeaseExpire());
      case LEASE_CHECKPOINT -> checkpoint(command.getLeaseCheckpoint());
      default -> throw new AssertionError("nothing about leases: " + command.getOpCase());
    };
  }

  /** The keys that it has deleted, in one revision if there are any. */
  Changes changes() {
    return changes;
  }

  private Function<Header, ApplyResult> grant(LeaseGrant grant) {
    long wanted = grant.getId();
    if (grant.getTtlMillis() > StoreLimits.LEASE_TTL_MILLIS_MAX) {
      return refused(
          Reason.LEASE_TTL_TOO_LARGE,
          "too large lease TTL: a lease lives for at most "
              + StoreLimits.LEASE_TTL_MILLIS_MAX / 1000
              + " s");
    }
    // A session that came back under its old id would not know what was executed in it.
    if (wanted != 0 && grant.getSession()) {
      return refused(Reason.INVALID_ARGUMENT, "nobody chooses the id of a session");
    }
    if (wanted != 0 && leases.find(wanted) != null) {
      return refused(Reason.LEASE_EXISTS, "lease already exists: " + wanted);
    }
    long id = wanted == 0 ? leases.unusedId(entry.index()) : wanted;
    long ttl = Math.max(grant.getTtlMillis(), StoreLimits.LEASE_TTL_MILLIS_MIN);
    LeaseKind kind = grant.getSession() ? LeaseKind.SESSION : LeaseKind.USER;
    leases.put(id, LeaseRow.granted(ttl, entry.index(), kind));
    if (kind == LeaseKind.SESSION) {
      overlay.replies().open(id);
    }
    return header ->
        new ApplyResult.LeaseGranted(
            new io.kvorum.api.LeaseGrant(header, id, Duration.ofMillis(ttl)), kind);
  }

  private Function<Header, ApplyResult> revoke(long id) {
    if (leases.find(id) == null) {
      return refused(Reason.LEASE_NOT_FOUND, "requested lease not found: " + LeaseRow.text(id));
    }
    end(id);
    return header -> new ApplyResult.LeaseRevoked(id, new LeaseRevocation(header, changes.size()));
  }

  private Function<Header, ApplyResult> expire(LeaseExpire expire) {
    LeaseRow row = leases.find(expire.getId());
    // Renewed since, behind the leader's back or while this entry was on its way; or granted anew
    // (FAULTS F124).
    boolean isStale = row == null || row.renewedIndex() != expire.getRenewedIndex();
    if (!isStale) {
      end(expire.getId());
    }
    return header -> new ApplyResult.LeaseExpired(header, expire.getId(), !isStale, changes.size());
  }

  /** Deletes its keys in order, then the lease, with what was kept as long as it lived. */
  private void end(long id) {
    for (Bytes key : leases.keys(id)) {
      LatestRow held = rows.find(key);
      if (held == null || held.lease() != id) {
        throw new InvariantViolation("a key of lease " + id + " names it: " + key);
      }
      changes.add(key, LatestRow.deleted(revision + 1, changes.size()), held);
    }
    changes.applyTo(overlay);
    leases.remove(id);
    overlay.replies().ended(id);
  }

  private Function<Header, ApplyResult> renew(List<Long> ids) {
    List<Long> ttls = new ArrayList<>(ids.size());
    for (long id : ids) {
      LeaseRow row = leases.find(id);
      if (row != null) {
        leases.put(id, row.renewed(entry.index()));
      }
      ttls.add(row == null ? 0 : row.ttlMillis());
    }
    return header -> {
      List<LeaseRenewal> renewals = new ArrayList<>(ids.size());
      for (int i = 0; i < ids.size(); i++) {
        renewals.add(new LeaseRenewal(header, ids.get(i), Duration.ofMillis(ttls.get(i))));
      }
      return new ApplyResult.LeasesRenewed(header, renewals);
    };
  }

  private Function<Header, ApplyResult> checkpoint(LeaseCheckpoint checkpoint) {
    Map<Long, Long> written = new TreeMap<>();
    for (LeaseCheckpoint.Remaining remaining : checkpoint.getLeaseList()) {
      LeaseRow row = leases.find(remaining.getId());
      if (row != null && row.renewedIndex() == remaining.getRenewedIndex()) {
        LeaseRow left = row.checkpoint(Math.max(0, remaining.getMillis()));
        leases.put(remaining.getId(), left);
        written.put(remaining.getId(), left.remainingMillis());
      }
    }
    return header -> new ApplyResult.LeasesCheckpointed(header, written);
  }

  private static Function<Header, ApplyResult> refused(Reason reason, String why) {
    return header ->
        new ApplyResult.Rejected(header, new Refusal(reason, why + "; nothing was changed"));
  }
}
