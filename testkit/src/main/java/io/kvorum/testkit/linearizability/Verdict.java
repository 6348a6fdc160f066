package io.kvorum.testkit.linearizability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a check of a history came to.
 *
 * @param configurations how many were looked at
 * @param failure where the search ended; null if the history is linearizable. If it is undecided,
 *     the longest order found up to the bound
 */
public record Verdict(Outcome outcome, long configurations, @Nullable Failure failure) {
  /** The three verdicts. */
  public enum Outcome {
    /** There is an order that explains every output. */
    LINEARIZABLE,
    /** There is none. */
    VIOLATION,
    /** There may be one, but none was found within the bound. Never a success. */
    UNDECIDED
  }

  public Verdict {
    if ((outcome == Outcome.LINEARIZABLE) != (failure == null)) {
      throw new IllegalArgumentException(outcome + " with failure " + failure);
    }
  }

  public boolean isLinearizable() {
    return outcome == Outcome.LINEARIZABLE;
  }

  /** The verdict for a reader: what has no place, the order that was found, what was in flight. */
  public String text() {
    if (failure == null) {
      return "linearizable, " + configurations + " configurations\n";
    }
    String first =
        outcome == Outcome.VIOLATION
            ? "not linearizable: after the longest order that explains the others,\n"
            : "undecided after " + configurations + " configurations; in the longest order found\n";
    return first + failure.text();
  }

  /** The verdict as a page with a drawing, which needs no other file. */
  public String html() {
    return failure == null
        ? Timeline.page(text(), "")
        : Timeline.page(text(), new Timeline(failure).svg());
  }

  /**
   * Fails unless the history is linearizable, and leaves the drawing in a file.
   *
   * @throws AssertionError with the text of the verdict and the name of the file
   */
  public void orThrow(Path html) {
    if (isLinearizable()) {
      return;
    }
    try {
      Path directory = html.toAbsolutePath().getParent();
      if (directory != null) {
        Files.createDirectories(directory);
      }
      Files.writeString(html, html());
    } catch (IOException e) {
      throw new UncheckedIOException(text() + "and cannot draw it to " + html, e);
    }
    throw new AssertionError(text() + "drawn in " + html);
  }
}
