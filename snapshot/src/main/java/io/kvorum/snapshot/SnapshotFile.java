package io.kvorum.snapshot;

/**
 * One file of a snapshot.
 *
 * @param name a plain file name: 1 to {@value #NAME_BYTES_MAX} characters, printable ASCII without
 *     blanks and slashes, not beginning with a dot nor ending in {@value #INCOMING}
 * @param bytes its length
 * @param hash of its content
 */
public record SnapshotFile(String name, long bytes, Hash hash) {
  /** The longest name. */
  public static final int NAME_BYTES_MAX = 255;

  /** Ends the name of a file that is still arriving. */
  static final String INCOMING = ".incoming";

  public SnapshotFile {
    boolean plain = name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '/' && c != '\\');
    boolean free = !name.startsWith(".") && !name.endsWith(INCOMING);
    if (!plain || !free || name.isEmpty() || name.length() > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("no name for a file of a snapshot: \"" + name + "\"");
    }
    if (bytes < 0 || (bytes == 0 && !hash.equals(Hash.ofContent(new byte[0])))) {
      throw new IllegalArgumentException(name + " has " + bytes + " bytes with SHA-256 " + hash);
    }
  }
}
