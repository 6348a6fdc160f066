package io.kvorum.log;

import io.kvorum.disk.Disk;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Deletes segments that are no part of the log any more, lowest first, each durably before the next
 * one, so that a crash leaves no hole (FAULTS F037). In the background: to give the blocks of a
 * file back takes longer than many syncs, and writes would wait for it. What a crash leaves of them
 * is the beginning of the log again.
 */
final class SegmentRemoval {
  private final Disk directory;
  private final Executor background;
  private final ArrayDeque<String> names = new ArrayDeque<>();

  SegmentRemoval(Disk directory, Executor background) {
    this.directory = directory;
    this.background = background;
  }

  /**
   * Closes segments and begins to delete them.
   *
   * @param gone in order, behind those of earlier calls
   * @param failed told if that fails, on the background's thread
   */
  void begin(List<Segment> gone, Consumer<RuntimeException> failed) {
    add(gone);
    background.execute(
        () -> {
          try {
            finish();
          } catch (RuntimeException failure) {
            failed.accept(failure);
          }
        });
  }

  private synchronized void add(List<Segment> gone) {
    for (Segment segment : gone) {
      segment.file().close();
      names.add(segment.name());
    }
  }

  /** Deletes what is left, on the calling thread. */
  synchronized void finish() {
    String name;
    while ((name = names.peek()) != null) {
      Segment.delete(directory, name);
      names.remove();
    }
  }
}
