package io.kvorum.server.store;

import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.Header;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.api.PutResult;
import io.kvorum.api.TxnResult;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What an applied entry resulted in, the same on every member and at every replay. */
public sealed interface ApplyResult {
  /** Where the store stands after the entry. */
  Header header();

  /** What its command resulted in when it took effect: this, unless that was earlier. */
  default ApplyResult first() {
    return this;
  }

  /**
   * The command has come before, and was not executed again.
   *
   * @param header where the store stands after the entry
   * @param first what it resulted in then, with the header of that time
   */
  record Repeated(Header header, ApplyResult first) implements ApplyResult {}

  /** There is no room to keep its result: nothing was executed; later it may be. */
  record Full(Header header, String message) implements ApplyResult {}

  /** A put took effect. */
  record PutApplied(PutResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** A delete took effect; it may have found nothing. */
  record DeleteApplied(DeleteResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** A transaction was executed; it may have changed nothing. */
  record TxnApplied(TxnResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** From now on a part of the history cannot be read. */
  record Compacted(CompactResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** The store may fill so much from now on. */
  record QuotaSet(Header header, Space space) implements ApplyResult {}

  /** There is a new lease. */
  record LeaseGranted(LeaseGrant result, LeaseKind kind) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** A lease is gone, with its keys. */
  record LeaseRevoked(long id, LeaseRevocation result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /**
   * Leases were renewed.
   *
   * @param renewals one for each that was named, in that order
   */
  record LeasesRenewed(Header header, List<LeaseRenewal> renewals) implements ApplyResult {
    public LeasesRenewed {
      renewals = List.copyOf(renewals);
    }
  }

  /**
   * The time of a lease was said to be over.
   *
   * @param expired whether it is gone now, with its keys; false: it was renewed since, or is not
   *     there
   * @param deleted how many keys hung on it
   */
  record LeaseExpired(Header header, long id, boolean expired, long deleted)
      implements ApplyResult {}

  /**
   * What is left of the time of leases was written down.
   *
   * @param remainingMillis of those that were not renewed since
   */
  record LeasesCheckpointed(Header header, Map<Long, Long> remainingMillis) implements ApplyResult {
    public LeasesCheckpointed {
      // Ascending: its text is the same everywhere.
      remainingMillis = Collections.unmodifiableMap(new TreeMap<>(remainingMillis));
    }
  }

  /** The entry was for Raft only. */
  record NothingApplied(Header header) implements ApplyResult {}

  /** The command broke a rule or a limit of the store and changed nothing. */
  record Rejected(Header header, Refusal refusal) implements ApplyResult {}
}
