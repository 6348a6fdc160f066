package io.kvorum.simulator.world;

/** What a report shows of a failure. */
final class Texts {
  private static final int FRAMES_MAX = 12;

  private Texts() {}

  /** The failure with the places where it happened, and its causes. */
  static String of(Throwable failure) {
    StringBuilder text = new StringBuilder();
    for (Throwable at = failure; at != null; at = at.getCause()) {
      text.append(at == failure ? "" : "\n  caused by ").append(at);
      StackTraceElement[] frames = at.getStackTrace();
      for (int i = 0; i < Math.min(FRAMES_MAX, frames.length); i++) {
        text.append("\n    at ").append(frames[i]);
      }
    }
    return text.toString();
  }
}
