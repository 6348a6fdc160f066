package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The store as one would explain it: all that ever happened, in a list, read from the start. */
final class ModelStore {
  /** A key put (with what it then held) or deleted (null) at a revision. */
  record Event(long revision, Bytes key, KeyValue put) {}

  private final List<Event> events = new ArrayList<>();

  /** Leases that exist. */
  final ModelLeases leases = new ModelLeases();

  /** What it takes, and may take. */
  final ModelSpace space = new ModelSpace(this);

  private long compactRevision;
  private final List<Long> compactRevisions = new ArrayList<>(List.of(0L));
  private final List<Header> headers = new ArrayList<>(List.of(new Header(1, 0, 0, 0)));

  /** Where the store stood after the entry with this index. */
  Header headerAfter(long index) {
    return headers.get((int) index);
  }

  Header header() {
    return headers.get(headers.size() - 1);
  }

  ApplyResult noOp(long term) {
    return new ApplyResult.NothingApplied(advance(term, 0, 0));
  }

  long compactRevision() {
    return compactRevision;
  }

  /** As it was after the entry with this index. */
  long compactRevisionAfter(long index) {
    return compactRevisions.get((int) index);
  }

  ApplyResult compact(long revision, long term) {
    if (revision <= compactRevision) {
      return rejected(term, 0, Reason.REVISION_COMPACTED);
    }
    if (revision > header().revision()) {
      return rejected(term, 0, Reason.REVISION_IN_FUTURE);
    }
    compactRevision = revision;
    return new ApplyResult.Compacted(new CompactResult(advance(term, 0, 0)));
  }

  ApplyResult setQuota(long bytes, long term) {
    space.setQuota(bytes);
    return new ApplyResult.QuotaSet(advance(term, 0, 0), space.now());
  }

  List<Event> events() {
    return events;
  }

  private long nextIndex() {
    return headers.size();
  }

  ApplyResult leasedPut(Bytes key, Bytes value, long lease, long term, long time) {
    return leases.find(lease) == null
        ? rejected(term, time, Reason.LEASE_NOT_FOUND)
        : put(key, value, false, lease, term, time);
  }

  /**
   * @param id as the store has chosen it, if it was to choose
   */
  ApplyResult grant(long id, long ttlMillis, long term) {
    if (!space.hasRoom(64)) {
      return rejected(term, 0, Reason.SPACE_EXCEEDED);
    }
    if (ttlMillis > 9_000_000_000_000L) {
      return rejected(term, 0, Reason.LEASE_TTL_TOO_LARGE);
    }
    if (leases.find(id) != null) {
      return rejected(term, 0, Reason.LEASE_EXISTS);
    }
    long ttl = Math.max(2000, ttlMillis);
    leases.put(id, new LeaseRow(ttl, nextIndex(), ttl));
    return new ApplyResult.LeaseGranted(
        new LeaseGrant(advance(term, 0, 0), id, Duration.ofMillis(ttl)), LeaseKind.USER);
  }

  ApplyResult revoke(long id, long term) {
    if (leases.find(id) == null) {
      return rejected(term, 0, Reason.LEASE_NOT_FOUND);
    }
    int deleted = end(id, term);
    return new ApplyResult.LeaseRevoked(id, new LeaseRevocation(header(), deleted));
  }

  ApplyResult expire(long id, long renewedIndex, long term) {
    LeaseRow row = leases.find(id);
    if (row == null || row.renewedIndex() != renewedIndex) {
      return new ApplyResult.LeaseExpired(advance(term, 0, 0), id, false, 0);
    }
    int deleted = end(id, term);
    return new ApplyResult.LeaseExpired(header(), id, true, deleted);
  }

  private int end(long id, long term) {
    List<Bytes> keys = ModelLeases.keys(id, at(header().revision()));
    leases.remove(id);
    long revision = advance(term, 0, keys.isEmpty() ? 0 : 1).revision();
    keys.forEach(key -> events.add(new Event(revision, key, null)));
    return keys.size();
  }

  ApplyResult renew(List<Long> ids, long term) {
    List<Long> ttls = new ArrayList<>();
    for (long id : ids) {
      LeaseRow row = leases.find(id);
      ttls.add(row == null ? 0 : row.ttlMillis());
      if (row != null) {
        leases.put(id, new LeaseRow(row.ttlMillis(), nextIndex(), row.ttlMillis()));
      }
    }
    Header after = advance(term, 0, 0);
    List<LeaseRenewal> renewals = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      renewals.add(new LeaseRenewal(after, ids.get(i), Duration.ofMillis(ttls.get(i))));
    }
    return new ApplyResult.LeasesRenewed(after, renewals);
  }

  ApplyResult checkpoint(long id, long renewedIndex, long millis, long term) {
    LeaseRow row = leases.find(id);
    Map<Long, Long> written = new TreeMap<>();
    if (row != null && row.renewedIndex() == renewedIndex) {
      long left = Math.min(row.remainingMillis(), Math.max(0, millis));
      leases.put(id, new LeaseRow(row.ttlMillis(), renewedIndex, left));
      written.put(id, left);
    }
    return new ApplyResult.LeasesCheckpointed(advance(term, 0, 0), written);
  }

  /** What the tables need to hold of history, and nothing else: revision and key. */
  List<String> neededEvents() {
    List<String> needed = new ArrayList<>();
    for (int i = 0; i < events.size(); i++) {
      Event event = events.get(i);
      boolean replaced =
          events.subList(i + 1, events.size()).stream()
              .anyMatch(
                  later -> later.revision() <= compactRevision && later.key().equals(event.key()));
      boolean visible = event.put() != null && !replaced;
      if (event.revision() >= compactRevision || visible) {
        needed.add(event.revision() + " " + event.key());
      }
    }
    return needed;
  }

  /** What the tables need to hold of keys: those that exist, and tombstones that history needs. */
  List<Bytes> neededKeys() {
    TreeSet<Bytes> needed = new TreeSet<>(at(header().revision()).keySet());
    events.stream()
        .filter(event -> event.revision() >= compactRevision)
        .forEach(event -> needed.add(event.key()));
    return new ArrayList<>(needed);
  }

  ApplyResult put(Bytes key, Bytes value, boolean previous, long term, long time) {
    return put(key, value, previous, 0, term, time);
  }

  private ApplyResult put(
      Bytes key, Bytes value, boolean previous, long lease, long term, long time) {
    KeyValue before = at(header().revision()).get(key);
    if (!space.hasRoom(ModelSpace.bytes(key, value, before == null ? 0 : before.lease(), lease))) {
      return rejected(term, time, Reason.SPACE_EXCEEDED);
    }
    Header after = advance(term, time, 1);
    long revision = after.revision();
    KeyValue now =
        before == null
            ? new KeyValue(key, value, revision, revision, 1, lease)
            : new KeyValue(
                key, value, before.createRevision(), revision, before.version() + 1, lease);
    events.add(new Event(revision, key, now));
    Optional<KeyValue> answer = previous ? Optional.ofNullable(before) : Optional.empty();
    return new ApplyResult.PutApplied(new PutResult(after, answer));
  }

  ApplyResult delete(KeyRange range, boolean previous, long term, long time) {
    List<KeyValue> found = in(range, header().revision());
    Header after = advance(term, time, found.isEmpty() ? 0 : 1);
    found.forEach(held -> events.add(new Event(after.revision(), held.key(), null)));
    List<KeyValue> answer = previous ? found : List.of();
    return new ApplyResult.DeleteApplied(new DeleteResult(after, found.size(), answer));
  }

  ApplyResult txn(Txn txn, long term, long time) {
    NavigableMap<Bytes, KeyValue> state = at(header().revision());
    ModelTxn execution = new ModelTxn(this, state, header().revision() + 1);
    OpResult.Nested result;
    try {
      if (ModelTxn.isDuplicate(txn)) {
        return rejected(term, time, Reason.DUPLICATE_KEY);
      }
      result = execution.execute(txn);
    } catch (ModelTxn.Refused refused) {
      return rejected(term, time, refused.reason);
    }
    if (!space.hasRoom(state, execution)) {
      return rejected(term, time, Reason.SPACE_EXCEEDED);
    }
    Header after = advance(term, time, execution.changed.isEmpty() ? 0 : 1);
    execution.changed.forEach(
        key -> events.add(new Event(after.revision(), key, execution.now(key))));
    return new ApplyResult.TxnApplied(new TxnResult(after, result.succeeded(), result.results()));
  }

  /**
   * A transaction that only reads.
   *
   * @throws ModelTxn.Refused if it cannot
   */
  TxnResult read(Txn txn) {
    OpResult.Nested result =
        new ModelTxn(this, at(header().revision()), header().revision() + 1).execute(txn);
    return new TxnResult(header(), result.succeeded(), result.results());
  }

  /** A command that changes nothing, but for what every entry changes. */
  ApplyResult rejected(long term, long time, Reason reason) {
    return new ApplyResult.Rejected(advance(term, time, 0), new Refusal(reason, ""));
  }

  private Header advance(long term, long time, int revisions) {
    Header last = header();
    Header next =
        new Header(
            last.revision() + revisions,
            term,
            last.appliedIndex() + 1,
            Math.max(last.logTimeMillis(), time));
    headers.add(next);
    compactRevisions.add(compactRevision);
    return next;
  }

  GetResult get(Bytes key, long revision) {
    long asOf = revision == 0 ? header().revision() : revision;
    return new GetResult(header(), Optional.ofNullable(at(asOf).get(key)));
  }

  RangeResult range(KeyRange range, RangeOptions options, long answerBytesMax) {
    return range(header(), range, options, answerBytesMax);
  }

  /** A read of the store as it was after the entry of the header. */
  RangeResult range(Header header, KeyRange range, RangeOptions options, long answerBytesMax) {
    List<KeyValue> all =
        in(range, options.revision() == 0 ? header.revision() : options.revision());
    return answer(header, all, options, answerBytesMax);
  }

  /** What of all keys of a range, in order, is answered: filter, then sort, then limit (F139). */
  static RangeResult answer(
      Header header, List<KeyValue> all, RangeOptions options, long answerBytesMax) {
    long count = options.content().count() ? all.size() : 0;
    if (options.countOnly()) {
      return new RangeResult(header, List.of(), false, count);
    }
    List<KeyValue> chosen = new ArrayList<>(all);
    RevisionFilter filter = options.filter();
    chosen.removeIf(
        held ->
            held.modRevision() < filter.minModRevision()
                || held.createRevision() < filter.minCreateRevision());
    chosen.removeIf(
        held -> filter.maxModRevision() != 0 && held.modRevision() > filter.maxModRevision());
    chosen.removeIf(
        held ->
            filter.maxCreateRevision() != 0 && held.createRevision() > filter.maxCreateRevision());
    Comparator<KeyValue> by =
        switch (options.order().by()) {
          case KEY -> Comparator.comparing(KeyValue::key);
          case VERSION -> Comparator.comparing(KeyValue::version);
          case CREATE_REVISION -> Comparator.comparing(KeyValue::createRevision);
          case MOD_REVISION -> Comparator.comparing(KeyValue::modRevision);
          case VALUE -> Comparator.comparing(KeyValue::value);
        };
    // Stable: what is equal stays in order of key.
    chosen.sort(options.reverse() ? by.reversed() : by);
    boolean countsValues = !options.keysOnly() || options.order().by() == RangeOptions.SortBy.VALUE;
    List<KeyValue> answer = new ArrayList<>();
    long bytes = 0;
    for (KeyValue next : chosen) {
      bytes += next.key().size() + (countsValues ? next.value().size() : 0) + 64;
      boolean overLimit = options.limit() > 0 && answer.size() == options.limit();
      if (overLimit || (bytes > answerBytesMax && !answer.isEmpty())) {
        break;
      }
      answer.add(options.keysOnly() ? withoutValue(next) : next);
    }
    return new RangeResult(header, answer, answer.size() < chosen.size(), count);
  }

  private static KeyValue withoutValue(KeyValue full) {
    return new KeyValue(
        full.key(),
        Bytes.EMPTY,
        full.createRevision(),
        full.modRevision(),
        full.version(),
        full.lease());
  }

  private List<KeyValue> in(KeyRange range, long revision) {
    List<KeyValue> found = new ArrayList<>(at(revision).values());
    found.removeIf(held -> !range.contains(held.key()));
    return found;
  }

  NavigableMap<Bytes, KeyValue> at(long revision) {
    NavigableMap<Bytes, KeyValue> state = new TreeMap<>();
    for (Event event : events) {
      if (event.revision() > revision) {
        break;
      }
      if (event.put() == null) {
        state.remove(event.key());
      } else {
        state.put(event.key(), event.put());
      }
    }
    return state;
  }
}
