package io.kvorum.cli;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeOptions.SortBy;
import io.kvorum.api.RangeResult;
import io.kvorum.cli.transfer.RangePages;
import java.io.IOException;

/** Reads a range and prints it: a line, or a JSON object on a line, for each key. */
final class RangePrinter {
  private final Terminal terminal;
  private final BytesOptions bytes;
  private final boolean json;
  private final Output out;

  RangePrinter(Terminal terminal, BytesOptions bytes, boolean json, Output out) {
    this.terminal = terminal;
    this.bytes = bytes;
    this.json = json;
    this.out = out;
  }

  /** Reads page by page, where the order allows it, all of it as of one revision. */
  void read(KvClient client, KeyRange range, RangeOptions how) throws IOException {
    if (how.countOnly()) {
      count(client.blocking().range(range, how));
    } else if (how.order().by() == SortBy.KEY) {
      RangePages.End end =
          new RangePages(client).read(range, how, found -> print(found, how.keysOnly()));
      tellOfMore(end.more(), how.limit());
    } else {
      RangeResult result = client.blocking().range(range, how);
      result.keyValues().forEach(found -> print(found, how.keysOnly()));
      tellOfMore(result.more(), how.limit());
      boolean isCut =
          result.more() && (how.limit() == 0 || result.keyValues().size() < how.limit());
      if (isCut) {
        throw new CommandFailure(
            ExitCode.REJECTED,
            "one answer does not hold the whole range in this order; say --limit or --keys-only");
      }
    }
  }

  private void tellOfMore(boolean more, long limit) {
    if (more && limit > 0 && terminal.errIsTerminal()) {
      out.flush();
      terminal.err().println("(more keys follow: --limit " + limit + ")");
    }
  }

  /** One key. */
  void print(KeyValue found, boolean keysOnly) {
    if (json) {
      out.json(found, keysOnly);
    } else if (keysOnly) {
      out.line(bytes.line(found.key()));
    } else {
      out.line(bytes.line(found.key()) + "\t" + bytes.line(found.value()));
    }
  }

  private void count(RangeResult result) {
    if (json) {
      out.json(
          fields -> {
            fields.writeNumberField("count", result.count());
            fields.writeNumberField("revision", result.header().revision());
          });
    } else {
      out.line(Long.toString(result.count()));
    }
  }
}
