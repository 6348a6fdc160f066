package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What the nodes of a cluster have archived, put together: committed entries are the same on all of
 * them, so what one has missed, or what is damaged in one, another may have. To be read only.
 */
public final class ArchivedEntries {
  private record Piece(ArchiveFile.Range range, Disk directory, String name) {}

  private final String location;
  private final String clusterId;
  private final List<Piece> pieces;

  private ArchivedEntries(String location, String clusterId, List<Piece> pieces) {
    this.location = location;
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
    List<Piece> pieces = new ArrayList<>();
    if (directory.directories().contains(clusterId)) {
      Disk cluster = directory.directory(clusterId);
      cluster.directories().forEach(node -> addTo(pieces, cluster.directory(node)));
    }
    if (pieces.isEmpty()) {
      throw new CorruptArchiveException(
          directory.location() + " holds no archive of cluster " + clusterId);
    }
    pieces.sort(Comparator.comparing(piece -> piece.range().first()));
    return new ArchivedEntries(directory.location(), clusterId, pieces);
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
    long next = last.index() + 1;
    CorruptArchiveException damage = null;
    long later = Long.MAX_VALUE;
    for (Piece piece : pieces) {
      if (piece.range().first() > next) {
        later = Math.min(later, piece.range().first());
      } else if (piece.range().last() >= next) {
        try {
          return read(piece, last);
        } catch (CorruptArchiveException damaged) {
          damage = damaged;
        }
      }
    }
    if (damage != null) {
      throw damage;
    }
    if (later != Long.MAX_VALUE) {
      throw new CorruptArchiveException(
          "the archive in %s has a gap: the entries %d to %d are in no file"
              .formatted(location, next, later - 1));
    }
    return List.of();
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
