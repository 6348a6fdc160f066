package io.kvorum.server.backup;

import io.kvorum.api.KvException;
import io.kvorum.client.TakenSnapshot;
import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskLock;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.TablesHome;
import io.kvorum.snapshot.CorruptSnapshotException;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.Receipt;
import io.kvorum.snapshot.SnapshotRefusedException;
import io.kvorum.snapshot.SnapshotStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes a backup of a running node. It is received as a member would receive the snapshot, into
 * {@code NAME.part} beside its final name: that name it gets, by a rename, when all of it is
 * durable, was read back, and the state in it is the one that the node had. So whatever has the
 * name of a backup is one. A crash leaves only the part, which the next call goes on with, as far
 * as the files are the same.
 *
 * <p>Of another backup, files of the same name and content are linked instead of fetched, or copied
 * if it lies on another file system. The new one is whole by itself all the same.
 *
 * <p>Memory is bounded: {@value #CHUNKS_UNDER_WAY} chunks of 256 KiB. Blocks; used by one thread.
 */
public final class BackupWriter {
  static final String PART = ".part";
  static final String LOCK = "LOCK";
  private static final int CHUNKS_UNDER_WAY = 4;

  private final BackupSource source;
  private final Function<Disk, TablesHome> homes;
  private final Consumer<String> says;

  /**
   * What was done.
   *
   * @param fetchedBytes which came from the node; all others were here already
   */
  public record Outcome(BackupLabel label, long fetchedBytes) {}

  private record Asked(Receipt.Wanted wanted, CompletableFuture<byte[]> content) {}

  /**
   * A writer.
   *
   * @param homes what can look into a state in a directory
   * @param says told what a person may want to know
   */
  public BackupWriter(
      BackupSource source, Function<Disk, TablesHome> homes, Consumer<String> says) {
    this.source = source;
    this.homes = homes;
    this.says = says;
  }

  /**
   * Takes a backup.
   *
   * @param parent where it shall be
   * @param name its name there, which must be free
   * @param older whose files need not be fetched again; null: none
   * @throws BackupException if it cannot be taken; nothing has the name then
   * @throws io.kvorum.api.KvException if the node does not give it
   */
  public Outcome write(Disk parent, String name, @Nullable Backup older) {
    if (parent.directories().contains(name) || parent.exists(name)) {
      throw new BackupException(
          parent.location()
              + "/"
              + name
              + " exists: a backup is never written over; choose"
              + " another name, or remove it");
    }
    String part = name + PART;
    boolean isLeftover = parent.directories().contains(part);
    Disk draft = parent.directory(part);
    Outcome outcome;
    DiskLock lock = draft.lock(LOCK);
    try {
      if (isLeftover) {
        says.accept(
            draft.location()
                + " was left by a backup that was cut short: what is still right of it is used");
      }
      outcome = receive(draft, older);
    } catch (CorruptSnapshotException damaged) {
      throw new BackupException("what arrived is damaged: " + damaged.getMessage(), damaged);
    } catch (SnapshotRefusedException newer) {
      throw new BackupException(String.valueOf(newer.getMessage()), newer);
    } finally {
      lock.close();
    }
    if (draft.exists(LOCK)) {
      draft.delete(LOCK);
    }
    draft.syncDirectory();
    parent.renameDirectory(part, name);
    parent.syncDirectory();
    return outcome;
  }

  private Outcome receive(Disk draft, @Nullable Backup older) {
    catchUp();
    TakenSnapshot taken = join(source.take());
    Manifest offered =
        Manifest.decode(
            taken.manifest().toByteArray(), "the manifest that " + taken.nodeId() + " sent");
    SnapshotStore store = open(draft, offered.clusterId());
    if (older != null) {
      store.share(older.snapshot());
    }
    Receipt receipt = store.receive(offered);
    long fetchedBytes = fetch(offered.name(), receipt);
    Manifest received = receipt.publish();
    // What an earlier call has left whole has served.
    store.retain(1, each -> false);
    Disk files = store.files(received);
    try (TableSnapshot tables = homes.apply(files).peek(files)) {
      BackupLabel.of(taken.nodeId(), received, StateSummary.of(tables)).write(draft);
    }
    Backup written = Backup.open(draft);
    var unused = written.verify(homes);
    return new Outcome(written.label(), fetchedBytes);
  }

  /** What was acknowledged before shall be in it; without a leader there is still what there is. */
  private void catchUp() {
    try {
      var unused = join(source.catchUp());
    } catch (KvException.Unavailable noLeader) {
      says.accept(
          "no leader answers, so the node may lack what was written last: "
              + noLeader.getMessage());
    }
  }

  /** What another cluster's backup has left under that name is of no use. */
  private static SnapshotStore open(Disk draft, String clusterId) {
    try {
      return SnapshotStore.open(draft, clusterId);
    } catch (SnapshotRefusedException foreign) {
      draft.directories().forEach(draft::deleteDirectory);
      draft.syncDirectory();
      return SnapshotStore.open(draft, clusterId);
    }
  }

  /** A few chunks are under way at a time, and are taken in the order in which they were asked. */
  private long fetch(String name, Receipt receipt) {
    Deque<Asked> asked = new ArrayDeque<>();
    long fetchedBytes = 0;
    boolean isAgain = false;
    while (!receipt.isComplete()) {
      while (asked.size() < CHUNKS_UNDER_WAY) {
        Receipt.Wanted wanted = receipt.next(SnapshotFrame.CHUNK_BYTES_MAX);
        if (wanted == null) {
          break;
        }
        asked.add(
            new Asked(wanted, source.read(name, wanted.file(), wanted.offset(), wanted.length())));
      }
      Asked first = asked.remove();
      byte[] content = join(first.content());
      if (receipt.accept(first.wanted().file(), first.wanted().offset(), content)) {
        fetchedBytes += content.length;
        isAgain = false;
      } else if (!isAgain) {
        // What a crash had left of a file was torn: it is asked for from its beginning.
        asked.clear();
        receipt.again();
        isAgain = true;
      } else {
        throw new BackupException("what was asked for does not go on with what is here");
      }
    }
    return fetchedBytes;
  }

  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }
}
