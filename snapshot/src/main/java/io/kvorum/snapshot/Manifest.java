package io.kvorum.snapshot;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.SnapshotMeta;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a snapshot is: of which state of which cluster, and of which files with which content. Two
 * manifests are equal if their bytes are.
 */
public final class Manifest {
  /** The largest encoding. */
  public static final int BYTES_MAX = 4 << 20;

  /** How much a state machine may say about its state. */
  public static final int ABOUT_BYTES_MAX = 64 << 10;

  /** The longest cluster id, in bytes of UTF-8. */
  public static final int CLUSTER_ID_BYTES_MAX = 255;

  private static final Pattern NAME = Pattern.compile("[0-9]{20}-[0-9]{1,19}");

  private final String clusterId;
  private final SnapshotMeta meta;
  private final byte[] about;
  private final List<SnapshotFile> files;
  private final byte[] encoded;

  /**
   * @param about what only the state machine understands, at most {@value #ABOUT_BYTES_MAX} bytes
   * @param files in order of name, none twice
   */
  public Manifest(String clusterId, SnapshotMeta meta, byte[] about, List<SnapshotFile> files) {
    this.clusterId = clusterId;
    this.meta = meta;
    this.about = about.clone();
    this.files = List.copyOf(files);
    for (int i = 1; i < files.size(); i++) {
      if (files.get(i - 1).name().compareTo(files.get(i).name()) >= 0) {
        throw new IllegalArgumentException(
            "files not in order of name: " + files.get(i - 1).name() + ", " + files.get(i).name());
      }
    }
    if (about.length > ABOUT_BYTES_MAX) {
      throw new IllegalArgumentException(about.length + " bytes about a state are too many");
    }
    this.encoded = ManifestFormat.encode(this);
    if (encoded.length > BYTES_MAX) {
      throw new IllegalArgumentException("a manifest of " + encoded.length + " bytes");
    }
  }

  /**
   * The reverse of {@link #encode}.
   *
   * @param where it was found, for messages
   * @throws CorruptSnapshotException if the bytes are no manifest
   * @throws SnapshotRefusedException if they are one of a version that is not known here
   */
  public static Manifest decode(byte[] bytes, String where) {
    return ManifestFormat.decode(bytes, where);
  }

  /** The name of a snapshot of the state as of that entry. In order of name is in order of age. */
  public static String nameOf(EntryId last) {
    return String.format(Locale.ROOT, "%020d-%d", last.index(), last.term());
  }

  /** Whether that is a name that {@link #nameOf} gives; so it is never a path. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** The snapshot's name. */
  public String name() {
    return nameOf(meta.last());
  }

  /** docs/FORMATS.md has the bytes. */
  public byte[] encode() {
    return encoded.clone();
  }

  public String clusterId() {
    return clusterId;
  }

  public SnapshotMeta meta() {
    return meta;
  }

  /** What the state machine says about its state; a copy. */
  public byte[] about() {
    return about.clone();
  }

  /** In order of name; unmodifiable. */
  public List<SnapshotFile> files() {
    return files;
  }

  /** Of all files together. */
  public long bytes() {
    return files.stream().mapToLong(SnapshotFile::bytes).sum();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Manifest manifest && Arrays.equals(encoded, manifest.encoded);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encoded);
  }

  @Override
  public String toString() {
    return name() + " (" + files.size() + " files, " + bytes() + " bytes)";
  }
}
