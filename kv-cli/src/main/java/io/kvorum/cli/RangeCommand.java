package io.kvorum.cli;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.cli.transfer.RangePages;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum range}. */
@Command(
    name = "range",
    description = {
      "Print the keys of a range with their values, all of them as of one revision.",
      "Text is one line a key: key, tab, value, with \\, tab, line ends, other control characters"
          + " and bytes that are no UTF-8 written as \\\\ \\t \\n \\r \\x1b. JSON is one object a"
          + " line; keyBase64 and valueBase64 stand for bytes that are no UTF-8."
    })
final class RangeCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();
  @Mixin private final BoundsOptions bounds = new BoundsOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "The keys that start with it. Without it, and without --from and --to: all.")
  private @Nullable String prefix;

  @Option(names = "--limit", paramLabel = "N", description = "Print at most N keys; 0: all.")
  private long limit;

  @Option(
      names = "--rev",
      paramLabel = "REVISION",
      description = "As of this revision of the store, instead of now.")
  private long revision;

  @Option(names = "--reverse", description = "From the last key to the first.")
  private boolean reverse;

  @Option(names = "--keys-only", description = "Without the values.")
  private boolean keysOnly;

  @Option(names = "--count", description = "Only how many keys there are.")
  private boolean count;

  RangeCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    bounds.range(prefix, bytes);
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    KeyRange range = bounds.range(prefix, bytes);
    if (count) {
      return count(connection, range, out);
    }
    RangeOptions how = RangeOptions.DEFAULT.withLimit(limit).withRevision(revision);
    how = reverse ? how.withReverse() : how;
    how = keysOnly ? how.withKeysOnly() : how;
    RangePages.End end =
        new RangePages(connection.client()).read(range, how, found -> print(found, out));
    if (end.more() && terminal().errIsTerminal()) {
      out.flush();
      terminal().err().println("(more keys follow: --limit " + limit + ")");
    }
    return ExitCode.DONE;
  }

  private void print(KeyValue found, Output out) {
    if (options().json()) {
      out.json(found, keysOnly);
    } else if (keysOnly) {
      out.line(bytes.line(found.key()));
    } else {
      out.line(bytes.line(found.key()) + "\t" + bytes.line(found.value()));
    }
  }

  private int count(Connection connection, KeyRange range, Output out) {
    RangeOptions how = RangeOptions.DEFAULT.withRevision(revision).withCountOnly();
    RangeResult result = connection.client().blocking().range(range, how);
    if (options().json()) {
      out.json(
          json -> {
            json.writeNumberField("count", result.count());
            json.writeNumberField("revision", result.header().revision());
          });
    } else {
      out.line(Long.toString(result.count()));
    }
    return ExitCode.DONE;
  }
}
