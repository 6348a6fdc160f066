package io.kvorum.cli.transfer;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.RangeOptions;
import java.io.IOException;
import java.io.OutputStream;

/** Writes a range of keys in a {@link Format}, all of it at one revision. */
public final class Exporter {
  private final RangePages pages;

  public Exporter(KvClient client) {
    this.pages = new RangePages(client);
  }

  /**
   * Streams; holds one page in memory.
   *
   * @param revision the state as of this revision; 0: now
   * @param sink should be buffered; it is flushed, not closed
   */
  public RangePages.End run(KeyRange range, long revision, Format format, OutputStream sink)
      throws IOException {
    RecordWriter writer = format.writer(sink);
    RangePages.End end =
        pages.read(
            range,
            RangeOptions.DEFAULT.withRevision(revision),
            found -> writer.write(new KeyValuePair(found.key(), found.value())));
    writer.finish();
    return end;
  }
}
