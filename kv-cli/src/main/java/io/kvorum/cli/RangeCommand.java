package io.kvorum.cli;

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
  @Mixin private final SelectionOptions selection = new SelectionOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PREFIX",
      description = "The keys that start with it. Without it, and without --from and --to: all.")
  private @Nullable String prefix;

  @Option(
      names = "--prefix",
      description = "Changes nothing: PREFIX is one in any case. For hands that know get --prefix.")
  private boolean isPrefix;

  RangeCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    if (isPrefix && prefix == null) {
      throw CommandFailure.usage("--prefix goes with PREFIX");
    }
    bounds.range(prefix, bytes);
    selection.check();
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    new RangePrinter(terminal(), bytes, options().json(), out)
        .read(connection.client(), bounds.range(prefix, bytes), selection.rangeOptions());
    return ExitCode.DONE;
  }
}
