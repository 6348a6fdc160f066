package io.kvorum.cli.demo;

import java.util.concurrent.CompletionException;

/** What a future failed with. */
final class Causes {
  private Causes() {}

  /** The failure itself, without the wrapping that dependent futures put around it. */
  static Throwable of(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof CompletionException && cause != null ? cause : thrown;
  }
}
