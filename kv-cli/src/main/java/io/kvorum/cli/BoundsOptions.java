package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The two ends of a range of keys. */
final class BoundsOptions {
  @Option(names = "--from", paramLabel = "KEY", description = "The first key of the range.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The first key behind the range; without it, the range has no end.")
  private @Nullable String to;

  boolean given() {
    return from != null || to != null;
  }

  /**
   * The range between the ends, or, where none is given, the range of the prefix; without that,
   * every key.
   *
   * @throws KvException.Rejected for a reversed or empty range
   */
  KeyRange range(@Nullable String prefix, BytesOptions bytes) {
    if (!given()) {
      return KeyRange.prefix(prefix == null ? Bytes.EMPTY : bytes.parse("PREFIX", prefix));
    }
    if (prefix != null) {
      throw CommandFailure.usage("a prefix and --from or --to exclude each other");
    }
    Bytes first = from == null ? KeyRange.all().from() : bytes.parse("--from", from);
    Bytes behind = to == null ? null : bytes.parse("--to", to);
    try {
      return new KeyRange(first, behind);
    } catch (IllegalArgumentException reversed) {
      throw new KvException.Rejected(
          Reason.INVALID_ARGUMENT, String.valueOf(reversed.getMessage()));
    }
  }
}
