package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that arrives from another member, chunk by chunk. Whoever receives asks for what
 * {@link #next} says, and gives every answer to {@link #accept}. Answers may be lost, late, doubled
 * or out of order, come from different members, or from before a restart (FAULTS F065): only what
 * continues what is there is taken. After a while without an answer, {@link #again} asks anew.
 *
 * <p>A file is written under a name that ends in {@code .incoming}, and gets its own when it is
 * synced and its content was read back and found right. So a file with its own name is durable. A
 * receipt that goes on with an incoming file of an earlier one writes what it finds of it once
 * more: a sync may have failed in between, and then the page cache shows bytes that are not on the
 * disk (FAULTS F042).
 *
 * <p>After an exception other than {@link CorruptSnapshotException} the receipt is not usable; a
 * new one for the same manifest goes on with it. A full disk drops all that has arrived, to give
 * its space back (FAULTS F070).
 */
public final class Receipt {
  private static final String INCOMING = SnapshotFile.INCOMING;
  private static final int COPY_BYTES = 256 << 10;

  private final SnapshotStore store;
  private final Manifest manifest;
  private final @Nullable Disk files;

  /** The file that is arriving; behind the last one when all is there. */
  private int current;

  /** How much of it is there. */
  private long received;

  /** Whether some of that is from an earlier receipt, and may be torn. */
  private boolean resumed;

  private @Nullable DiskFile open;

  /** Which files are there, whole and durable. */
  private final boolean[] whole;

  private int askedFile;
  private long askedOffset;
  private boolean ended;

  /**
   * Bytes to ask for.
   *
   * @param file number of the file in the manifest, from 0
   * @param length at least 1
   */
  public record Wanted(int file, long offset, int length) {}

  /**
   * @param part the directory in which it arrives; null if it is published already
   */
  Receipt(SnapshotStore store, Manifest manifest, @Nullable Disk part) {
    this.store = store;
    this.manifest = manifest;
    this.whole = new boolean[manifest.files().size()];
    this.files = part == null ? null : SnapshotDirectory.files(part);
    if (files == null) {
      current = whole.length;
    } else {
      runOrEnd(
          () -> {
            findWholeFiles(files);
            advance();
            checkSpace(files);
          });
    }
    again();
  }

  /** What is being received. */
  public Manifest manifest() {
    return manifest;
  }

  /** How many bytes of it are there, linked ones included. */
  public long receivedBytes() {
    long bytes = received;
    List<SnapshotFile> all = manifest.files();
    for (int i = 0; i < all.size(); i++) {
      bytes += files == null || whole[i] ? all.get(i).bytes() : 0;
    }
    return bytes;
  }

  /** Whether everything is there and can be published. */
  public boolean isComplete() {
    return current == whole.length;
  }

  /**
   * What to ask for next, behind everything that was asked for; null if all was asked for.
   *
   * @param lengthMax how many bytes at most, at least 1
   */
  public @Nullable Wanted next(int lengthMax) {
    if (lengthMax < 1) {
      throw new IllegalArgumentException("chunks of " + lengthMax + " bytes");
    }
    while (askedFile < whole.length) {
      long left = manifest.files().get(askedFile).bytes() - askedOffset;
      if (!whole[askedFile] && left > 0) {
        Wanted wanted = new Wanted(askedFile, askedOffset, (int) Math.min(lengthMax, left));
        askedOffset += wanted.length();
        return wanted;
      }
      askedFile++;
      askedOffset = 0;
    }
    return null;
  }

  /** What was asked for and has not come will not come: ask for it again. */
  public void again() {
    askedFile = current;
    askedOffset = received;
  }

  /**
   * Takes bytes that have arrived, if they continue what is there.
   *
   * @return whether they did; if not, they are without effect
   * @throws CorruptSnapshotException if with them a file is complete and its content is not what
   *     the manifest says: what was sent is damaged. The receipt has dropped that file and is
   *     usable
   */
  public boolean accept(int file, long offset, byte[] bytes) {
    checkOpen();
    if (isComplete() || file != current || offset != received || bytes.length == 0) {
      return false;
    }
    if (bytes.length > manifest.files().get(file).bytes() - received) {
      return false;
    }
    runOrEnd(() -> write(bytes));
    return true;
  }

  /**
   * Makes the snapshot one of the store. On return it is durable, and all of it was read back.
   *
   * @return its manifest; that of an older one, if the store has one of the same state
   */
  public Manifest publish() {
    checkOpen();
    if (!isComplete()) {
      throw new IllegalStateException(manifest + " has not arrived yet");
    }
    ended = true;
    Disk arrived = files;
    if (arrived != null) {
      arrived.syncDirectory();
    }
    return store.publishPart(manifest);
  }

  /** Deletes all that has arrived. Does nothing once it was published. */
  public void discard() {
    if (!ended) {
      close();
      store.discardPart(manifest);
    }
  }

  /** Ends it; what has arrived stays. */
  void close() {
    ended = true;
    if (open != null) {
      open.close();
      open = null;
    }
  }

  // ---- files ----

  private void findWholeFiles(Disk files) {
    for (String name : files.list()) {
      if (!isWanted(name)) {
        files.delete(name);
      }
    }
    for (int i = 0; i < whole.length; i++) {
      SnapshotFile wanted = manifest.files().get(i);
      if (!files.exists(wanted.name())) {
        Disk holder = store.holderOf(wanted);
        if (holder != null) {
          holder.share(wanted.name(), files);
        }
      }
      if (files.exists(wanted.name())) {
        // Also what was right once may have been damaged since.
        whole[i] = isRight(files, wanted.name(), wanted);
        String useless = whole[i] ? wanted.name() + INCOMING : wanted.name();
        if (files.exists(useless)) {
          files.delete(useless);
        }
      }
    }
  }

  /** Better said at once than found out when all but the end was sent, again and again. */
  private void checkSpace(Disk files) {
    long missing = manifest.bytes() - receivedBytes();
    long left = files.usableBytes();
    if (missing > left) {
      throw new DiskFullException(
          "%s: the disk is too full: %d bytes of snapshot %s are missing, there is space for %d"
              .formatted(files.location(), missing, manifest.name(), left),
          new IOException("No space left on device"));
    }
  }

  private boolean isWanted(String name) {
    boolean whole = !name.endsWith(INCOMING);
    String own = whole ? name : name.substring(0, name.length() - INCOMING.length());
    return manifest.files().stream().anyMatch(file -> file.name().equals(own));
  }

  private static boolean isRight(Disk files, String name, SnapshotFile wanted) {
    return SnapshotDirectory.sizeOf(files, name) == wanted.bytes()
        && Hash.ofContent(files, name).equals(wanted.hash());
  }

  /** Goes on to the first file of which something is missing. */
  private void advance() {
    while (!isComplete()) {
      if (!whole[current]) {
        DiskFile file = incomingFile();
        if (received < wanted().bytes()) {
          return;
        }
        endFile(file);
      } else {
        current++;
        received = 0;
        resumed = false;
      }
    }
  }

  /** The current file, with what there is of it. */
  private DiskFile incomingFile() {
    DiskFile file = open;
    if (file != null) {
      return file;
    }
    Disk files = files();
    String name = incoming();
    if (files.exists(name) && SnapshotDirectory.sizeOf(files, name) > wanted().bytes()) {
      files.delete(name);
    }
    if (files.exists(name)) {
      file = files.open(name);
      open = file;
      writeAgain(file);
      received = file.size();
      resumed = received > 0;
      // It may have been asked for from its beginning.
      again();
    } else {
      file = files.create(name, 0);
      open = file;
    }
    return file;
  }

  private static void writeAgain(DiskFile file) {
    long size = file.size();
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY_BYTES, size));
    for (long at = 0; at < size; at += buffer.limit()) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), size - at));
      file.read(at, buffer);
      file.write(at, buffer.flip());
    }
  }

  private void write(byte[] bytes) {
    incomingFile().write(received, ByteBuffer.wrap(bytes));
    received += bytes.length;
    advance();
  }

  /** All bytes of the current file are there: it is whole, or begins anew. */
  private void endFile(DiskFile file) {
    file.sync();
    Hash found = Hash.ofContent(file);
    file.close();
    open = null;
    if (found.equals(wanted().hash())) {
      files().rename(incoming(), wanted().name());
      whole[current] = true;
      return;
    }
    files().delete(incoming());
    boolean torn = resumed;
    received = 0;
    resumed = false;
    again();
    // What an earlier receipt has left may be torn by a crash; nobody has sent that.
    if (!torn) {
      throw new CorruptSnapshotException(
          manifest.name() + "/" + wanted().name(),
          "what has arrived has SHA-256 " + found + " instead of " + wanted().hash());
    }
  }

  /** Runs it; unless what has arrived is at fault, a failure ends the receipt. */
  private void runOrEnd(Runnable work) {
    boolean usable = false;
    try {
      work.run();
      usable = true;
    } catch (CorruptSnapshotException e) {
      usable = true;
      throw e;
    } catch (DiskFullException e) {
      close();
      store.discardPart(manifest);
      throw e;
    } finally {
      if (!usable) {
        close();
      }
    }
  }

  private SnapshotFile wanted() {
    return manifest.files().get(current);
  }

  private String incoming() {
    return wanted().name() + INCOMING;
  }

  private Disk files() {
    if (files == null) {
      throw new IllegalStateException(manifest + " is published already");
    }
    return files;
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("this receipt of " + manifest + " has ended");
    }
  }
}
