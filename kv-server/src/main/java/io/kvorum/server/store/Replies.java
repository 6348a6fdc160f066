package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Results of commands that may come again, on the heap: those of each session by number, until its
 * client has acknowledged them, and those kept under an idempotency key, until its time is over.
 * Used by the apply lane only.
 *
 * <p>Each session, and each record of an idempotency key, has a lease with its id, which keeps its
 * time and is removed with it. What has changed reaches {@link Table#SESSION} in the batch of the
 * {@link Overlay}; a result that was acknowledged before such a batch never does, and few wait that
 * long. Rows, big-endian:
 *
 * <pre>
 * 00 | u64 session                → u64 acknowledgedBelow
 * 00 | u64 session | u64 sequence → result
 * 01 | idempotency key            → u64 lease | 32 bytes of fingerprint | result
 * </pre>
 *
 * <p>A result is what {@link ResultFormat} makes of it.
 */
final class Replies {
  private static final byte SESSION_ROW = 0;
  private static final byte RECORD_ROW = 1;
  private static final int FINGERPRINT_BYTES = 32;

  private final RowSum sum;
  private final UsedSpace used;
  private final Map<Long, Session> sessions = new HashMap<>();
  private final Map<Bytes, Kept> records = new HashMap<>();
  private final Map<Long, Bytes> keysByLease = new HashMap<>();
  private long recordBytes;

  /** Of these something is not in the table yet. */
  private final TreeMap<Long, Session> changed = new TreeMap<>();

  private final TreeMap<Bytes, Kept> newRecords = new TreeMap<>();

  /** Rows to remove from the table. */
  private final TreeSet<byte[]> gone = new TreeSet<>(Arrays::compareUnsigned);

  private int unwrittenReplies;

  /** The result of a command. */
  private static final class Reply {
    private final ApplyResult result;
    private final int bytes;
    private boolean isStored;

    Reply(ApplyResult result, boolean isStored) {
      this.result = result;
      this.bytes = ResultFormat.bytes(result);
      this.isStored = isStored;
    }
  }

  /**
   * What is kept under an idempotency key.
   *
   * @param lease that keeps its time
   * @param fingerprint of the operation
   */
  record Kept(long lease, Bytes fingerprint, ApplyResult result) {
    /** Whether it is that operation's. */
    boolean isOf(Bytes operation) {
      return fingerprint.equals(operation);
    }
  }

  /** What a client has sent, and not acknowledged. */
  final class Session {
    private final long id;

    /** By number. What is done with all of them gives the same in any order. */
    private final Map<Long, Reply> replies = new HashMap<>();

    private long acknowledgedBelow = 1;
    private long bytes;
    private boolean isFloorStored;
    private boolean isChanged;

    private Session(long id) {
      this.id = id;
    }

    /** Whether the client waits for its result no more: then it must not be executed again. */
    boolean isAcknowledged(long sequence) {
      return sequence < acknowledgedBelow;
    }

    /** Forgets the results of numbers below; never remembers again. */
    void acknowledge(long below) {
      if (below <= acknowledgedBelow || sessions.get(id) != this) {
        return;
      }
      change(this);
      if (below - acknowledgedBelow <= replies.size()) {
        for (long sequence = acknowledgedBelow; sequence < below; sequence++) {
          Reply reply = replies.remove(sequence);
          if (reply != null) {
            drop(sequence, reply);
          }
        }
      } else {
        replies.entrySet().removeIf(one -> isDropped(one, below));
      }
      acknowledgedBelow = below;
    }

    private boolean isDropped(Map.Entry<Long, Reply> one, long below) {
      boolean isBelow = one.getKey() < below;
      if (isBelow) {
        drop(one.getKey(), one.getValue());
      }
      return isBelow;
    }

    /** What was answered to that number; null: it was not applied yet. */
    @Nullable ApplyResult reply(long sequence) {
      Reply reply = replies.get(sequence);
      return reply == null ? null : reply.result;
    }

    /** Whether nothing more may be executed before something is acknowledged. */
    boolean isFull() {
      return replies.size() >= StoreLimits.SESSION_REPLIES_MAX
          || bytes >= StoreLimits.SESSION_REPLY_BYTES_MAX;
    }

    /** Keeps what was answered, unless that was the end of the session itself. */
    void answered(long sequence, ApplyResult result) {
      if (sessions.get(id) != this) {
        return;
      }
      Reply reply = new Reply(result, false);
      Reply before = replies.put(sequence, reply);
      InvariantViolation.check(before == null, "what was answered is not executed again");
      bytes += reply.bytes;
      used.add(reply.bytes);
      unwrittenReplies++;
      change(this);
    }

    private void drop(long sequence, Reply reply) {
      bytes -= reply.bytes;
      used.add(-reply.bytes);
      if (reply.isStored) {
        remove(key(id, sequence), ResultFormat.encode(reply.result));
      } else {
        unwrittenReplies--;
      }
    }
  }

  private Replies(RowSum sum, UsedSpace used) {
    this.sum = sum;
    this.used = used;
  }

  /**
   * What the table holds, for the sessions that have leases.
   *
   * @param sum of the table's rows, and others
   * @param used counts them already
   */
  static Replies load(TableReader tables, LeaseRows leases, RowSum sum, UsedSpace used) {
    Replies loaded = new Replies(sum, used);
    leases.ids(LeaseKind.SESSION).forEach(id -> loaded.sessions.put(id, loaded.new Session(id)));
    try (TableCursor rows = tables.scan(Table.SESSION, new byte[0], null, false)) {
      while (rows.next()) {
        loaded.loadRow(ByteBuffer.wrap(rows.key()), rows.value());
      }
    }
    return loaded;
  }

  private void loadRow(ByteBuffer key, byte[] value) {
    ByteBuffer content = ByteBuffer.wrap(value);
    if (key.get() == RECORD_ROW) {
      byte[] fingerprint = new byte[FINGERPRINT_BYTES];
      long lease = content.getLong();
      content.get(fingerprint);
      remember(
          Bytes.copyOf(key),
          new Kept(lease, Bytes.wrapUnsafe(fingerprint), ResultFormat.decode(content)));
      return;
    }
    Session session = sessions.get(key.getLong());
    if (session == null) {
      throw new InvariantViolation("every session in the table has a lease");
    }
    if (key.hasRemaining()) {
      Reply reply = new Reply(ResultFormat.decode(content), true);
      session.replies.put(key.getLong(), reply);
      session.bytes += reply.bytes;
    } else {
      session.acknowledgedBelow = content.getLong();
      session.isFloorStored = true;
    }
  }

  /** Whether a row is the record of an idempotency key, and not of a session. */
  static boolean isRecord(byte[] key) {
    return key[0] == RECORD_ROW;
  }

  /** The result in such a row. */
  static ApplyResult recordedResult(ByteBuffer row) {
    return ResultFormat.decode(row.duplicate().position(Long.BYTES + FINGERPRINT_BYTES));
  }

  /** What a row of the table counts in {@link Space}. */
  static long spaceBytes(byte[] key, ByteBuffer row) {
    if (isRecord(key)) {
      return key.length - 1L + ResultFormat.bytes(recordedResult(row));
    }
    // What a session itself takes, its lease counts.
    boolean isFloor = key.length == 1 + Long.BYTES;
    return isFloor ? 0 : ResultFormat.bytes(ResultFormat.decode(row));
  }

  /** The session; null: there is none with that id any more, or there never was. */
  @Nullable Session session(long id) {
    return sessions.get(id);
  }

  /** A client begins to number. */
  void open(long id) {
    sessions.put(id, new Session(id));
  }

  /** What is kept under that key, or null. */
  @Nullable Kept record(Bytes key) {
    return records.get(key);
  }

  /** Whether no other key may be remembered before the time of one is over. */
  boolean areRecordsFull() {
    return records.size() >= StoreLimits.IDEMPOTENCY_RECORDS_MAX
        || recordBytes >= StoreLimits.IDEMPOTENCY_BYTES_MAX;
  }

  /** Keeps a result under a key that has none, as long as the lease lives. */
  void keep(Bytes key, Kept record) {
    remember(key, record);
    used.add(bytes(key, record));
    newRecords.put(key, record);
  }

  private void remember(Bytes key, Kept record) {
    records.put(key, record);
    keysByLease.put(record.lease(), key);
    recordBytes += bytes(key, record);
  }

  private static long bytes(Bytes key, Kept record) {
    return (long) key.size() + ResultFormat.bytes(record.result());
  }

  /** That lease is over, and with it whatever it kept here. */
  void ended(long lease) {
    Session session = sessions.remove(lease);
    if (session != null) {
      session.replies.forEach(session::drop);
      session.replies.clear();
      // What its floor was is out of the sum from here on, as of any session that changes.
      change(session);
      changed.remove(lease);
      if (session.isFloorStored) {
        gone.add(key(lease));
      }
    }
    Bytes key = keysByLease.remove(lease);
    if (key != null) {
      forget(key);
    }
  }

  private void forget(Bytes key) {
    Kept record = records.remove(key);
    if (record == null) {
      throw new AssertionError("a lease keeps no record: " + key);
    }
    recordBytes -= bytes(key, record);
    used.add(-bytes(key, record));
    if (newRecords.remove(key) == null) {
      remove(recordKey(key), row(record));
    }
  }

  /** Before a session changes: its floor is written anew. */
  private void change(Session session) {
    if (!session.isChanged) {
      session.isChanged = true;
      changed.put(session.id, session);
      if (session.isFloorStored) {
        sum.remove(Table.SESSION, key(session.id), floor(session));
      }
    }
  }

  /** A row that is in the table is not needed any more. */
  private void remove(byte[] key, byte[] row) {
    sum.remove(Table.SESSION, key, row);
    gone.add(key);
  }

  /** How many rows {@link #writeTo} would write, at most. */
  int unwritten() {
    return unwrittenReplies + newRecords.size() + gone.size() + changed.size();
  }

  /** Adds what has changed since the last time. */
  void writeTo(TableBatch batch) {
    gone.forEach(key -> batch.delete(Table.SESSION, key));
    gone.clear();
    for (Session session : changed.values()) {
      put(batch, key(session.id), floor(session));
      session.isFloorStored = true;
      session.isChanged = false;
      session.replies.forEach(
          (sequence, reply) -> {
            if (!reply.isStored) {
              put(batch, key(session.id, sequence), ResultFormat.encode(reply.result));
              reply.isStored = true;
            }
          });
    }
    changed.clear();
    unwrittenReplies = 0;
    newRecords.forEach((key, record) -> put(batch, recordKey(key), row(record)));
    newRecords.clear();
  }

  private void put(TableBatch batch, byte[] key, byte[] row) {
    batch.put(Table.SESSION, key, row);
    sum.add(Table.SESSION, key, row);
  }

  /** Everything, as it stands in the table after a batch, in no order. */
  void forEachRow(BiConsumer<byte[], byte[]> visitor) {
    for (Session session : sessions.values()) {
      visitor.accept(key(session.id), floor(session));
      session.replies.forEach(
          (sequence, reply) ->
              visitor.accept(key(session.id, sequence), ResultFormat.encode(reply.result)));
    }
    records.forEach((key, record) -> visitor.accept(recordKey(key), row(record)));
  }

  private static byte[] floor(Session session) {
    return ByteBuffer.allocate(Long.BYTES).putLong(session.acknowledgedBelow).array();
  }

  private static byte[] row(Kept record) {
    byte[] result = ResultFormat.encode(record.result());
    return ByteBuffer.allocate(Long.BYTES + FINGERPRINT_BYTES + result.length)
        .putLong(record.lease())
        .put(record.fingerprint().arrayUnsafe())
        .put(result)
        .array();
  }

  private static byte[] key(long session) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(SESSION_ROW).putLong(session).array();
  }

  private static byte[] key(long session, long sequence) {
    return ByteBuffer.allocate(1 + 2 * Long.BYTES)
        .put(SESSION_ROW)
        .putLong(session)
        .putLong(sequence)
        .array();
  }

  private static byte[] recordKey(Bytes key) {
    return ByteBuffer.allocate(1 + key.size()).put(RECORD_ROW).put(key.arrayUnsafe()).array();
  }
}
