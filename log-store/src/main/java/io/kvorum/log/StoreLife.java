package io.kvorum.log;

import io.kvorum.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a store lives, and what it died of. Every failure on the way is the last one: what is on
 * disk is then known to nobody (FAULTS F042). Any thread.
 */
final class StoreLife {
  private final Disk directory;

  /** Why the store is dead, or null. */
  private volatile @Nullable RuntimeException death;

  StoreLife(Disk directory) {
    this.directory = directory;
  }

  /** Throws what the store died of, if it did. */
  void check() {
    RuntimeException cause = death;
    if (cause != null) {
      throw cause;
    }
  }

  boolean isOver() {
    return death != null;
  }

  boolean isClosed() {
    return death instanceof LogClosedException;
  }

  /** Makes a change, which the store does not survive if it fails. */
  void run(Runnable change) {
    try {
      change.run();
    } catch (InternalError e) {
      throw end(mappingFailed(directory, e));
    } catch (RuntimeException e) {
      throw end(e);
    } catch (Error e) {
      end(new IllegalStateException("the log in " + directory.location() + " died of " + e, e));
      throw e;
    }
  }

  /** The end, unless it was before; the same cause, to be thrown. */
  synchronized RuntimeException end(RuntimeException cause) {
    if (death == null) {
      death = cause;
    }
    return cause;
  }

  RuntimeException end(InternalError fault) {
    return end(mappingFailed(directory, fault));
  }

  /** It was let go of, dead or alive. */
  synchronized void close() {
    death = new LogClosedException();
  }

  static UncheckedIOException mappingFailed(Disk directory, InternalError fault) {
    String message = "a mapped file in " + directory.location() + " could not be reached";
    return new UncheckedIOException(message, new IOException(fault));
  }
}
