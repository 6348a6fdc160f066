package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of a cluster have archived, put together: committed entries are the same on all of
 * them, so what one has missed, or what is damaged in one, another may have. To be read only. Nodes
 * may go on writing there meanwhile: a file that is gone was replaced by one that has more.
 */
public final class ArchivedEntries {
  private record Piece(ArchiveFile.Range range, Disk directory, String name) {}

  private final Disk directory;
  private final String clusterId;
  private List<Piece> pieces;

  private ArchivedEntries(Disk directory, String clusterId, List<Piece> pieces) {
    this.directory = directory;
    this.clusterId = clusterId;
    this.pieces = pieces;
  }

  /**
   * Finds what there is of a cluster.
   *
   * @param directory the place of all archives; not changed
   * @throws CorruptArchiveException if nothing is there of that cluster
   */
  public static ArchivedEntries open(Disk directory, String clusterId) {
    List<Piece> pieces = pieces(directory, clusterId);
    if (pieces.isEmpty()) {
      throw new CorruptArchiveException(
          directory.location() + " holds no archive of cluster " + clusterId);
    }
    return new ArchivedEntries(directory, clusterId, pieces);
  }

  private static List<Piece> pieces(Disk directory, String clusterId) {
    List<Piece> pieces = new ArrayList<>();
    if (directory.directories().contains(clusterId)) {
      Disk cluster = directory.directory(clusterId);
      cluster.directories().forEach(node -> addTo(pieces, cluster.directory(node)));
    }
    pieces.sort(Comparator.comparing(piece -> piece.range().first()));
    return pieces;
  }

  private static void addTo(List<Piece> pieces, Disk own) {
    for (String name : own.list()) {
      ArchiveFile.Range range = ArchiveFile.Range.of(name);
      if (range != null) {
        pieces.add(new Piece(range, own, name));
      }
    }
  }

  /**
   * The entries that follow one, as many as one file has; empty at the end of the archive.
   *
   * @throws CorruptArchiveException if they are missing, and later ones are not; or if every file
   *     that has the next one is damaged; it names the entry or the file
   */
  public List<Entry> after(EntryId last) {
    List<Entry> found = find(last);
    if (found == null) {
      // They may be in a file that took the place of others since we looked.
      pieces = pieces(directory, clusterId);
      found = find(last);
    }
    if (found != null) {
      return found;
    }
    long next = last.index() + 1;
    long later =
        pieces.stream()
            .mapToLong(piece -> piece.range().first())
            .filter(first -> first > next)
            .min()
            .orElse(0);
    if (later > 0) {
      throw new CorruptArchiveException(
          "the archive in %s has a gap: the entries %d to %d are in no file"
              .formatted(directory.location(), next, later - 1));
    }
    return List.of();
  }

  /** Null if no file has the next entry, as far as it is known which there are. */
  private @Nullable List<Entry> find(EntryId last) {
    long next = last.index() + 1;
    CorruptArchiveException damage = null;
    List<Entry> found = null;
    for (Piece piece : pieces) {
      boolean hasNext = piece.range().first() <= next && piece.range().last() >= next;
      try {
        found = found == null && hasNext ? readUnlessGone(piece, last) : found;
      } catch (CorruptArchiveException damaged) {
        damage = damaged;
      }
    }
    if (found == null && damage != null) {
      throw damage;
    }
    return found;
  }

  private @Nullable List<Entry> readUnlessGone(Piece piece, EntryId last) {
    try {
      return read(piece, last);
    } catch (UncheckedIOException failed) {
      if (piece.directory().exists(piece.name())) {
        throw failed;
      }
      return null;
    }
  }

  private List<Entry> read(Piece piece, EntryId last) {
    ArchiveFile file = LogArchive.read(piece.directory(), piece.name());
    String where = piece.directory().location() + "/" + piece.name();
    if (!file.clusterId().equals(clusterId)) {
      throw new CorruptArchiveException(where + " is of cluster " + file.clusterId());
    }
    int skipped = (int) (last.index() - file.before().index());
    long term = skipped == 0 ? file.before().term() : file.entries().get(skipped - 1).term();
    if (term != last.term()) {
      throw new CorruptArchiveException(
          where
              + " is of another history: entry "
              + last.index()
              + " has term "
              + term
              + " there, and term "
              + last.term()
              + " here");
    }
    return file.entries().subList(skipped, file.entries().size());
  }
}
