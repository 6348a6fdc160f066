package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.HardState;
import io.kvorum.raft.NodeId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The term and vote of a node, and whether its log has lost what it promised: two slots of fixed
 * size, each with a sequence number and a checksum (docs/FORMATS.md). Both hold the same state
 * before it is announced to anyone, written and synced one after the other: so a crash spoils at
 * most one of them, and whichever of them is lost, to a crash or to the medium, the other never
 * holds a state older than what was announced.
 *
 * <p>Belongs to one thread. A failed write kills it: every later call throws the same.
 */
public final class VoteFile implements AutoCloseable {
  /** Its file name. */
  public static final String NAME = "vote";

  static final int SLOT_BYTES = 4096;

  private static final int MAGIC = 0x564f5456; // "VTOV"
  private static final int VERSION = 1;

  /** Of a slot that also says what was lost: an older program must not take it for a vote. */
  private static final int VERSION_LOST = 2;

  private static final int SEQUENCE = 8;
  private static final int TERM = 16;
  private static final int NAME_LENGTH = 24;
  private static final int NAME_BYTES = 28;
  private static final int CRC = NAME_BYTES + NodeId.LENGTH_MAX;
  private static final int LOST_TERM = CRC;
  private static final int CRC_LOST = LOST_TERM + Long.BYTES;

  private final DiskFile file;
  private HardState state;
  private long sequence;
  private @Nullable RuntimeException death;

  private record Slot(long sequence, HardState state) {}

  private VoteFile(DiskFile file, Slot newest) {
    this.file = file;
    this.state = newest.state();
    this.sequence = newest.sequence();
  }

  /**
   * Opens the vote file, or creates it for a node that has never run. Call before the log is opened
   * for the first time, and with the log locked or the whole data directory.
   *
   * @param logExists whether there is a log beside it, see {@link LogStore#exists}
   * @throws CorruptLogException if the vote is damaged, or one of vote and log is there without the
   *     other: such a node might vote twice in a term, or help to elect a leader that lacks what
   *     this node has acknowledged (FAULTS F048)
   */
  public static VoteFile open(Disk directory, boolean logExists) {
    if (!directory.exists(NAME)) {
      if (logExists) {
        throw CorruptLogException.of(
            directory.location() + "/" + NAME,
            "the vote file is missing, though there is a log: this node may have voted");
      }
      directory.replace(NAME, initial());
    }
    DiskFile file = directory.open(NAME);
    boolean opened = false;
    try {
      // An earlier process may have died before its sync: what we see must be durable.
      file.sync();
      Slot newest = newest(file);
      if (!logExists && newest.state().currentTerm() > 0) {
        throw CorruptLogException.of(
            directory.location(),
            "the log is missing, though this node has voted in term "
                + newest.state().currentTerm());
      }
      VoteFile votes = new VoteFile(file, newest);
      // Once more, lest the page cache shows what a failed sync has lost (FAULTS F042).
      votes.store(newest.state());
      opened = true;
      return votes;
    } finally {
      if (!opened) {
        file.close();
      }
    }
  }

  /**
   * What was stored last, looked at without changing anything; nobody may have it open.
   *
   * @throws CorruptLogException if there is none, or it is damaged
   */
  public static HardState peek(Disk directory) {
    if (!directory.exists(NAME)) {
      throw CorruptLogException.of(
          directory.location() + "/" + NAME, "there is no vote file: this node may have voted");
    }
    try (DiskFile file = directory.open(NAME)) {
      return newest(file).state();
    }
  }

  /** What was stored last. */
  public HardState load() {
    checkAlive();
    return state;
  }

  /** Remembers the state; on return it is durable, and only then may anyone be told of it. */
  public void store(HardState next) {
    checkAlive();
    if (next.currentTerm() < state.currentTerm()) {
      throw new IllegalArgumentException("term " + next + " after " + state);
    }
    try {
      Slot slot = new Slot(sequence + 1, next);
      for (long position = 0; position < 2L * SLOT_BYTES; position += SLOT_BYTES) {
        file.write(position, encode(slot));
        file.sync();
      }
      sequence = slot.sequence();
      state = next;
    } catch (RuntimeException e) {
      death = e;
      throw e;
    }
  }

  @Override
  public void close() {
    if (death == null) {
      death = new IllegalStateException("the vote file is closed");
    }
    file.close();
  }

  private void checkAlive() {
    if (death != null) {
      throw death;
    }
  }

  /** Both slots are valid from the start, as at any time but for the one being written. */
  private static byte[] initial() {
    ByteBuffer content = ByteBuffer.allocate(2 * SLOT_BYTES);
    content.put(encode(new Slot(1, HardState.INITIAL)));
    content.put(encode(new Slot(1, HardState.INITIAL)));
    return content.array();
  }

  private static Slot newest(DiskFile file) {
    if (file.size() != 2 * SLOT_BYTES) {
      throw CorruptLogException.of(
          file.location(), "it has " + file.size() + " bytes instead of " + 2 * SLOT_BYTES);
    }
    ByteBuffer content = ByteBuffer.allocate(2 * SLOT_BYTES);
    file.read(0, content);
    Slot first = decode(content.slice(0, SLOT_BYTES));
    Slot second = decode(content.slice(SLOT_BYTES, SLOT_BYTES));
    // Where its checksum is, only that version knows: nobody can tell whether it is damaged, too.
    if (first == null && second == null && isNewer(content, 0) && isNewer(content, SLOT_BYTES)) {
      int version = content.order(ByteOrder.LITTLE_ENDIAN).getInt(4);
      throw CorruptLogException.ofAnotherVersion(file.location(), version, VERSION_LOST);
    }
    if (first == null && second == null) {
      throw CorruptLogException.of(file.location(), "both slots of the vote file are damaged");
    }
    if (first != null && second != null) {
      return first.sequence() > second.sequence() ? first : second;
    }
    return first != null ? first : Objects.requireNonNull(second);
  }

  private static boolean isNewer(ByteBuffer content, int at) {
    ByteBuffer bytes = content.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    return bytes.getInt(at) == MAGIC && bytes.getInt(at + 4) > VERSION_LOST;
  }

  private static ByteBuffer encode(Slot slot) {
    HardState state = slot.state();
    NodeId votedFor = state.votedFor();
    byte[] name =
        votedFor == null ? new byte[0] : votedFor.name().getBytes(StandardCharsets.US_ASCII);
    boolean lost = state.hasLost();
    ByteBuffer bytes = ByteBuffer.allocate(SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putInt(lost ? VERSION_LOST : VERSION).putLong(slot.sequence());
    bytes.putLong(state.currentTerm()).putInt(name.length).put(name);
    if (lost) {
      bytes.putLong(LOST_TERM, state.lostTerm()).putInt(CRC_LOST, crc(bytes, CRC_LOST));
    } else {
      bytes.putInt(CRC, crc(bytes, CRC));
    }
    return bytes.position(0);
  }

  private static @Nullable Slot decode(ByteBuffer slice) {
    ByteBuffer bytes = slice.order(ByteOrder.LITTLE_ENDIAN);
    boolean lost = bytes.getInt(4) == VERSION_LOST;
    int crcAt = lost ? CRC_LOST : CRC;
    boolean known = lost || bytes.getInt(4) == VERSION;
    if (bytes.getInt(0) != MAGIC || !known || bytes.getInt(crcAt) != crc(bytes, crcAt)) {
      return null;
    }
    byte[] name = new byte[bytes.getInt(NAME_LENGTH)];
    bytes.get(NAME_BYTES, name);
    NodeId votedFor =
        name.length == 0 ? null : new NodeId(new String(name, StandardCharsets.US_ASCII));
    long lostTerm = lost ? bytes.getLong(LOST_TERM) : 0;
    return new Slot(
        bytes.getLong(SEQUENCE), new HardState(bytes.getLong(TERM), votedFor, lostTerm));
  }

  private static int crc(ByteBuffer slot, int end) {
    CRC32C crc = new CRC32C();
    crc.update(slot.duplicate().position(0).limit(end));
    return (int) crc.getValue();
  }
}
