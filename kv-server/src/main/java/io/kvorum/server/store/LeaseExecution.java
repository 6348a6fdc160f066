package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.raft.Entry;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.LeaseCheckpoint;
import io.kvorum.server.store.protocol.LeaseExpire;
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
  private final StoreState state;
  private final Entry entry;
  private final Changes changes;

  /**
   * An execution.
   *
   * @param state before the entry
   */
  LeaseExecution(LeaseRows leases, Rows rows, Overlay overlay, StoreState state, Entry entry) {
    this.leases = leases;
    this.rows = rows;
    this.overlay = overlay;
    this.state = state;
    this.entry = entry;
    this.changes = new Changes(rows);
  }

  /** Executes it; what comes back becomes the result when the header after the entry is known. */
  Function<Header, ApplyResult> execute(Command command) {
    return switch (command.getOpCase()) {
      case LEASE_GRANT ->
          grant(command.getLeaseGrant().getId(), command.getLeaseGrant().getTtlMillis());
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

  private Function<Header, ApplyResult> grant(long wanted, long ttlMillis) {
    if (ttlMillis > StoreLimits.LEASE_TTL_MILLIS_MAX) {
      return refused(
          Reason.LEASE_TTL_TOO_LARGE,
          "too large lease TTL: a lease lives for at most "
              + StoreLimits.LEASE_TTL_MILLIS_MAX / 1000
              + " s");
    }
    if (wanted != 0 && leases.find(wanted) != null) {
      return refused(Reason.LEASE_EXISTS, "lease already exists: " + wanted);
    }
    long id = wanted == 0 ? chosenId() : wanted;
    long ttl = Math.max(ttlMillis, StoreLimits.LEASE_TTL_MILLIS_MIN);
    leases.put(id, LeaseRow.renewed(ttl, entry.index()));
    return header ->
        new ApplyResult.LeaseGranted(new LeaseGrant(header, id, Duration.ofMillis(ttl)));
  }

  /** Positive, the same on every member, and not one that looks like the one before. */
  private long chosenId() {
    long seed = entry.index();
    while (true) {
      // SplittableRandom's mix: one to one, so no two entries collide but for the sign.
      long mixed = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
      mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
      long id = (mixed ^ (mixed >>> 31)) & Long.MAX_VALUE;
      if (id != 0 && leases.find(id) == null) {
        return id;
      }
      seed += 0x9e3779b97f4a7c15L;
    }
  }

  private Function<Header, ApplyResult> revoke(long id) {
    if (leases.find(id) == null) {
      return refused(Reason.LEASE_NOT_FOUND, "requested lease not found: " + id);
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

  /** Deletes its keys in order, then the lease. */
  private void end(long id) {
    for (Bytes key : leases.keys(id)) {
      LatestRow held = rows.find(key);
      if (held == null || held.lease() != id) {
        throw new InvariantViolation("a key of lease " + id + " names it: " + key);
      }
      changes.add(key, LatestRow.deleted(state.revision() + 1, changes.size()), held);
    }
    changes.applyTo(overlay);
    leases.remove(id);
  }

  private Function<Header, ApplyResult> renew(List<Long> ids) {
    List<Long> ttls = new ArrayList<>(ids.size());
    for (long id : ids) {
      LeaseRow row = leases.find(id);
      if (row != null) {
        leases.put(id, LeaseRow.renewed(row.ttlMillis(), entry.index()));
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
