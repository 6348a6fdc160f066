package io.kvorum.testkit.linearizability;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What a key holds.
 *
 * @param createRevision the revision of its first put since it last did not exist. Negative if
 *     nobody has seen it yet: then it is at least the number without the sign. 0 if not tracked
 * @param modRevision the revision of its last put, in the same way
 * @param version puts since it last did not exist; 0 if not tracked
 */
record Held(String value, long createRevision, long modRevision, long version) {
  /** What this is, if it is what was seen; null if it cannot be. */
  @Nullable Held seenAs(KvOutput.Seen seen) {
    if (!value.equals(seen.value()) || (seen.version() != 0 && seen.version() != version)) {
      return null;
    }
    if (!fits(createRevision, seen.createRevision()) || !fits(modRevision, seen.modRevision())) {
      return null;
    }
    return new Held(
        value,
        seen.createRevision() == 0 ? createRevision : seen.createRevision(),
        seen.modRevision() == 0 ? modRevision : seen.modRevision(),
        version);
  }

  private static boolean fits(long held, long seen) {
    return seen == 0 || held == seen || (held <= 0 && seen >= -held);
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", value + " (", ")");
    text.setEmptyValue(value);
    if (version != 0) {
      text.add("version " + version);
    }
    if (createRevision != 0) {
      text.add("created " + revision(createRevision));
    }
    if (modRevision != 0) {
      text.add("changed " + revision(modRevision));
    }
    return text.toString();
  }

  private static String revision(long revision) {
    return revision > 0 ? "" + revision : "at or behind " + -revision;
  }
}
