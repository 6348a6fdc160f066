package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.IdempotencyKey;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What makes a write safe to repeat by hand. */
final class IdempotencyOptions {
  @Option(
      names = "--idempotency-key",
      paramLabel = "TEXT",
      description = {
        "Take effect once: whoever gives the same command with the same text gets the result of the"
            + " first one. With another command the text is rejected."
      })
  private @Nullable String key;

  @Option(
      names = "--idempotency-ttl",
      paramLabel = "TIME",
      description = "For so long; with --idempotency-key. Default: 1h.",
      converter = DurationText.class)
  private @Nullable Duration ttl;

  /** What was given, if anything. */
  Optional<IdempotencyKey> key() {
    if (key == null) {
      if (ttl != null) {
        throw CommandFailure.usage("--idempotency-ttl goes with --idempotency-key");
      }
      return Optional.empty();
    }
    try {
      Duration time = ttl == null ? Duration.ofHours(1) : ttl;
      return Optional.of(new IdempotencyKey(Bytes.utf8(key), time));
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
    }
  }
}
