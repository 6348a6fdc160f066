package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The data directories that this node has met under its peers' names, remembered across restarts. A
 * peer that comes back with another one has lost its votes and its log, and must not be counted as
 * the voter it was: two such forgetful answers could undo what a majority had acknowledged (FAULTS
 * F048, F152).
 *
 * <p>Used on the node's loop.
 */
public final class KnownPeers {
  /** How a {@link #refusal} begins. */
  public static final String WRONG_INCARNATION = "wrong incarnation: ";

  static final String FILE = "peers";
  private static final String FORMAT = "kvorum-peers 1";

  private final Disk disk;
  private final SortedMap<NodeId, Long> incarnations;

  private KnownPeers(Disk disk, SortedMap<NodeId, Long> incarnations) {
    this.disk = disk;
    this.incarnations = incarnations;
  }

  /** Those that this directory remembers. */
  public static KnownPeers read(Disk disk) {
    SortedMap<NodeId, Long> incarnations = new TreeMap<>();
    if (disk.exists(FILE)) {
      for (String line : CheckedLines.read(disk, FILE, FORMAT)) {
        int space = line.indexOf(' ');
        incarnations.put(
            new NodeId(line.substring(0, space)),
            Long.parseUnsignedLong(line.substring(space + 1), 16));
      }
    }
    return new KnownPeers(disk, incarnations);
  }

  /**
   * Whether the peer is the one it was, or is met for the first time and durably remembered.
   *
   * @return null if so; else why it is refused
   */
  public @Nullable String refusal(NodeId peer, long incarnation) {
    Long known = incarnations.get(peer);
    if (known == null) {
      incarnations.put(peer, incarnation);
      write();
      return null;
    }
    if (known == incarnation) {
      return null;
    }
    return String.format(
        WRONG_INCARNATION
            + "%s came with data directory %016x, but was first met with %016x: it has"
            + " lost its votes and its log, and may not vote under its old name. Bring its old data"
            + " directory back, or let it join under a new node id",
        peer,
        incarnation,
        known);
  }

  /** Remembers nobody, in a new directory. */
  static void create(Disk disk) {
    new KnownPeers(disk, new TreeMap<>()).write();
  }

  private void write() {
    List<String> lines = new ArrayList<>();
    incarnations.forEach((peer, known) -> lines.add(peer + " " + Long.toHexString(known)));
    CheckedLines.write(disk, FILE, FORMAT, lines);
  }
}
