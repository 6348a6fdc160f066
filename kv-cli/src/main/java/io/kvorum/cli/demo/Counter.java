package io.kvorum.cli.demo;

import io.kvorum.api.Bytes;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * One key whose value counts up, and what may be read from it.
 *
 * <p>There is one writer, and it writes one value at a time. So the last acknowledged value is what
 * a read finds, except for writes whose outcome is unknown: each of these may have taken effect, at
 * any time since it was sent, or may never do. A write that was certainly not executed is never to
 * be seen.
 *
 * <p>Not thread-safe.
 */
final class Counter {
  /** What a read says about the promises. */
  enum Verdict {
    RIGHT,
    /** Nothing is there, though a write was acknowledged. */
    LOST,
    /** An older value than the last one acknowledged. */
    STALE,
    /** A value that was certainly never written. */
    WRONG
  }

  private final Bytes key;
  private final Set<Long> unknown = new HashSet<>();
  private long attempted;
  private long acknowledged;
  private long acknowledgements;

  Counter(String key) {
    this.key = Bytes.utf8(key);
  }

  Bytes key() {
    return key;
  }

  /** The value to write next, never one that was tried before. */
  long next() {
    return ++attempted;
  }

  void acknowledged(long value) {
    acknowledged = value;
    acknowledgements++;
  }

  void unknown(long value) {
    unknown.add(value);
  }

  long acknowledgements() {
    return acknowledgements;
  }

  long unknowns() {
    return unknown.size();
  }

  static Bytes encode(long value) {
    return Bytes.utf8(Long.toString(value));
  }

  /** Judges a read that began after the last write was answered. */
  Verdict judge(Optional<Bytes> found) {
    if (found.isEmpty()) {
      return acknowledged == 0 ? Verdict.RIGHT : Verdict.LOST;
    }
    long value;
    try {
      value = Long.parseLong(found.get().toUtf8());
    } catch (NumberFormatException noNumber) {
      return Verdict.WRONG;
    }
    if (unknown.contains(value) || (value == acknowledged && value > 0)) {
      return Verdict.RIGHT;
    }
    return value >= 1 && value < acknowledged ? Verdict.STALE : Verdict.WRONG;
  }
}
