package io.kvorum.cli.transfer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads pairs one after another. Not thread-safe; closes nothing. */
public interface RecordReader {
  /**
   * The next pair, or null at the end.
   *
   * @throws MalformedRecordException naming the line; what came before it stands
   * @throws IOException when the source cannot be read
   */
  @Nullable KeyValuePair next() throws IOException;
}
