package io.kvorum.testkit.linearizability;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a key-value store answered, as far as the client looked. What it did not look at, or was not
 * told, is not checked.
 *
 * @param revision the store's: of this change, or the current one if nothing changed; 0: not seen
 * @param succeeded whether a delete found its key, a compare-and-set or the compares of a
 *     transaction held; null: not seen, or not applicable
 * @param seen for a get what it found, for a change what it replaced (or nothing: not seen), for a
 *     transaction what each get found, in order (or nothing: not seen)
 */
public record KvOutput(long revision, @Nullable Boolean succeeded, List<Seen> seen) {
  public KvOutput {
    seen = List.copyOf(seen);
    if (revision < 0) {
      throw new IllegalArgumentException("a revision is positive, 0 if not seen: " + revision);
    }
  }

  /**
   * A key as a client saw it.
   *
   * @param value null: the key did not exist
   * @param createRevision 0: not seen; the same for the others
   */
  public record Seen(@Nullable String value, long createRevision, long modRevision, long version) {
    /** The key did not exist. */
    public static final Seen ABSENT = new Seen(null, 0, 0, 0);

    /** The value only. */
    public static Seen value(String value) {
      return new Seen(value, 0, 0, 0);
    }

    @Override
    public String toString() {
      if (value == null) {
        return "absent";
      }
      return value
          + (version == 0 ? "" : " version " + version)
          + (createRevision == 0 ? "" : " created " + createRevision)
          + (modRevision == 0 ? "" : " changed " + modRevision);
    }
  }

  /** A put or an append was made. */
  public static KvOutput changed(long revision) {
    return new KvOutput(revision, null, List.of());
  }

  /** A get found this. */
  public static KvOutput found(long revision, Seen seen) {
    return new KvOutput(revision, null, List.of(seen));
  }

  /** A delete, compare-and-set or transaction did or did not find what it needs. */
  public static KvOutput decided(long revision, boolean succeeded, Seen... seen) {
    return new KvOutput(revision, succeeded, List.of(seen));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(succeeded == null ? "" : succeeded ? "yes" : "no");
    for (Seen key : seen) {
      text.append(text.isEmpty() ? "" : ", ").append(key);
    }
    text.append(text.isEmpty() ? "done" : "");
    return text.append(revision == 0 ? "" : " @" + revision).toString();
  }
}
