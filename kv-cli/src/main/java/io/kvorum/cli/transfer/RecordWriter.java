package io.kvorum.cli.transfer;

import java.io.IOException;

/** Writes pairs one after another. Not thread-safe; the stream below stays open. */
interface RecordWriter {
  void write(KeyValuePair pair) throws IOException;

  /** Hands everything to the stream below. Nothing may be written after it. */
  void finish() throws IOException;
}
