package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.EntryId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Says, outside of the log, up to which of its entries everything was durable at least
 * (docs/adr/0020). The marks inside the log are lost with its end; by this one a start tells that
 * an end which was durable is gone from one that a crash has torn.
 *
 * <p>Two slots of fixed size, each with a sequence number and a checksum (docs/FORMATS.md). A rise
 * writes the older of them: whatever becomes of that write, the other slot is whole and says less,
 * which is as true. Both are written before the log may become shorter than they say; that, and
 * nothing else, must not be left undone, so it happens while an {@link Intent} stands.
 *
 * <p>Rises happen in the background, everything else on the log thread. They exclude each other, so
 * none of them says what a truncation has made wrong.
 */
final class DurableMark implements AutoCloseable {
  static final String FILE = "durable";
  static final int SLOT_BYTES = 4096;

  private static final int SLOTS = 2;
  private static final int MAGIC = 0x44524f56; // "VORD"
  private static final int VERSION = 1;
  private static final int SEQUENCE = 8;
  private static final int INDEX = 16;
  private static final int TERM = 24;
  private static final int CRC = 32;

  private final DiskFile file;
  private final AtomicBoolean queued = new AtomicBoolean();

  /** Changed under the lock only. */
  private volatile EntryId marked;

  private long sequence;
  private boolean closed;

  private record Slot(long sequence, EntryId marked) {}

  private DurableMark(DiskFile file, long sequence, EntryId marked) {
    this.file = file;
    this.sequence = sequence;
    this.marked = marked;
  }

  /**
   * Opens the file, or makes it, and has it say this, durably and in both slots, whatever it said.
   *
   * @param last of the log, with which all before it are durable
   */
  static DurableMark open(Disk directory, EntryId last) {
    if (!hasSize(directory)) {
      ByteBuffer content = ByteBuffer.allocate(SLOTS * SLOT_BYTES);
      for (int i = 0; i < SLOTS; i++) {
        content.put(encode(new Slot(1, last)));
      }
      directory.replace(FILE, content.array());
    }
    DiskFile file = directory.open(FILE);
    boolean opened = false;
    try {
      Slot newest = newest(file);
      DurableMark mark = new DurableMark(file, newest == null ? 0 : newest.sequence(), last);
      // Also if it says so already: after a failed sync the page cache lies (FAULTS F042).
      mark.set(last);
      opened = true;
      return mark;
    } finally {
      if (!opened) {
        file.close();
      }
    }
  }

  private static boolean hasSize(Disk directory) {
    if (!directory.exists(FILE)) {
      return false;
    }
    try (DiskFile file = directory.open(FILE)) {
      return file.size() == SLOTS * SLOT_BYTES;
    }
  }

  /**
   * What the file says, looked at without changing anything; null if there is none, as in a log
   * that only older versions have written.
   *
   * @throws CorruptLogException if it is damaged
   */
  static @Nullable EntryId find(Disk directory) {
    if (!directory.exists(FILE)) {
      return null;
    }
    try (DiskFile file = directory.open(FILE)) {
      Slot newest = newest(file);
      if (newest == null) {
        throw CorruptLogException.of(
            file.location(),
            "it is damaged, so nobody knows how far the log was durable. Where no other node can"
                + " help, this one file may be deleted: the log is then taken as it is");
      }
      return newest.marked();
    }
  }

  /**
   * Up to where it proves, for a log that ends like this, that everything was durable; 0: it proves
   * nothing.
   *
   * <p>Terms never fall along a log. So where a log is shorter than was marked and yet ends with a
   * later term, entries that were marked have been replaced by those of a later leader, and whoever
   * did so did not know the mark: an older version of Kvorum.
   */
  static long provenIndex(@Nullable EntryId marked, EntryId last) {
    return marked == null || last.term() > marked.term() ? 0 : marked.index();
  }

  /**
   * Has it follow what is durable, in the background, if there is anything new. Any thread; waits
   * for nothing.
   *
   * @param durable asked again when it is written; what it names is durable then
   * @param failed told if that fails, on the background's thread
   */
  void follow(Executor background, Supplier<EntryId> durable, Consumer<RuntimeException> failed) {
    boolean isNew = durable.get().index() > marked.index();
    if (isNew && queued.compareAndSet(false, true)) {
      background.execute(
          () -> {
            queued.set(false);
            try {
              raise(durable);
            } catch (RuntimeException failure) {
              failed.accept(failure);
            }
          });
    }
  }

  /** Durable on return. The question is asked under the lock: no truncation comes in between. */
  synchronized void raise(Supplier<EntryId> durable) {
    EntryId now = durable.get();
    if (!closed && now.index() > marked.index()) {
      writeOlder(now);
    }
  }

  /** Before the log ends here: on return, neither slot says more. */
  synchronized void lower(EntryId last) {
    if (marked.index() > last.index()) {
      set(last);
    }
  }

  /** As {@link #lower}, whatever it says now. */
  synchronized void set(EntryId last) {
    for (int i = 0; i < SLOTS; i++) {
      writeOlder(last);
    }
  }

  private void writeOlder(EntryId id) {
    Slot slot = new Slot(sequence + 1, id);
    file.write(slot.sequence() % SLOTS * SLOT_BYTES, encode(slot));
    file.sync();
    sequence = slot.sequence();
    marked = id;
  }

  /** Whatever is still queued does nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    file.close();
  }

  private static ByteBuffer encode(Slot slot) {
    ByteBuffer bytes = ByteBuffer.allocate(SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putInt(VERSION).putLong(slot.sequence());
    bytes.putLong(slot.marked().index()).putLong(slot.marked().term()).putInt(crc(bytes));
    return bytes.position(0);
  }

  /** The whole slot that was written last, or null. */
  private static @Nullable Slot newest(DiskFile file) {
    if (file.size() != SLOTS * SLOT_BYTES) {
      return null;
    }
    ByteBuffer content = ByteBuffer.allocate(SLOTS * SLOT_BYTES);
    file.read(0, content);
    Slot newest = null;
    boolean isOfAnotherVersion = true;
    int version = VERSION;
    for (int i = 0; i < SLOTS; i++) {
      ByteBuffer bytes = content.slice(i * SLOT_BYTES, SLOT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      Slot slot = decode(bytes);
      if (slot != null && (newest == null || slot.sequence() > newest.sequence())) {
        newest = slot;
      }
      version = bytes.getInt(4);
      isOfAnotherVersion &= bytes.getInt(0) == MAGIC && version > VERSION;
    }
    if (isOfAnotherVersion) {
      throw CorruptLogException.ofAnotherVersion(file.location(), version, VERSION);
    }
    return newest;
  }

  private static @Nullable Slot decode(ByteBuffer bytes) {
    boolean isWhole =
        bytes.getInt(0) == MAGIC && bytes.getInt(4) == VERSION && bytes.getInt(CRC) == crc(bytes);
    return isWhole
        ? new Slot(bytes.getLong(SEQUENCE), new EntryId(bytes.getLong(INDEX), bytes.getLong(TERM)))
        : null;
  }

  private static int crc(ByteBuffer slot) {
    CRC32C crc = new CRC32C();
    crc.update(slot.duplicate().position(0).limit(CRC));
    return (int) crc.getValue();
  }
}
