package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Snapshots to test with: made of a few files whose content follows from a number. */
final class TestSnapshots {
  static final String CLUSTER = "kvorum";
  static final byte[] ABOUT = "revision 17".getBytes(StandardCharsets.US_ASCII);

  private TestSnapshots() {}

  static SnapshotMeta meta(long index, long term) {
    return new SnapshotMeta(
        new EntryId(index, term), Membership.of(List.of(new NodeId("n1"), new NodeId("n2"))));
  }

  /** Three files, one of them empty, one the same in every snapshot, one longer than a sector. */
  static Map<String, byte[]> content(long index) {
    Map<String, byte[]> content = new TreeMap<>();
    content.put("000007.sst", random(7, 1500));
    content.put("CURRENT", random(index, 3 + (int) (index % 5)));
    content.put("EMPTY", new byte[0]);
    content.put("MANIFEST-000001", random(index + 1, 1100));
    return content;
  }

  static Manifest take(SnapshotStore store, long index) {
    Draft draft = store.draft();
    boolean done = false;
    try {
      write(draft.files(), content(index));
      Manifest manifest = draft.publish(meta(index, 3), ABOUT);
      done = true;
      return manifest;
    } finally {
      if (!done) {
        draft.discard();
      }
    }
  }

  /** As a database does: created, written, not synced. */
  static void write(Disk files, Map<String, byte[]> content) {
    content.forEach(
        (name, bytes) -> {
          try (DiskFile file = files.create(name, 0)) {
            file.write(0, ByteBuffer.wrap(bytes));
          }
        });
  }

  /** What {@link #take} publishes, without a store. */
  static Manifest manifest(long index) {
    List<SnapshotFile> files =
        content(index).entrySet().stream()
            .map(
                file ->
                    new SnapshotFile(
                        file.getKey(), file.getValue().length, Hash.ofContent(file.getValue())))
            .toList();
    return new Manifest(CLUSTER, meta(index, 3), ABOUT, files);
  }

  static byte[] chunk(Manifest manifest, Receipt.Wanted wanted) {
    byte[] file =
        content(manifest.meta().last().index()).get(manifest.files().get(wanted.file()).name());
    byte[] chunk = new byte[wanted.length()];
    System.arraycopy(file, (int) wanted.offset(), chunk, 0, chunk.length);
    return chunk;
  }

  /** Receives all that is missing, and publishes it. */
  static Manifest receive(SnapshotStore store, Manifest manifest, int chunkBytes) {
    Receipt receipt = store.receive(manifest);
    for (Receipt.Wanted wanted = receipt.next(chunkBytes);
        wanted != null;
        wanted = receipt.next(chunkBytes)) {
      receipt.accept(wanted.file(), wanted.offset(), chunk(manifest, wanted));
    }
    return receipt.publish();
  }

  static byte[] random(long seed, int count) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
