package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum get}. */
@Command(
    name = "get",
    description = {
      "Print the value of a key, as it is and with a line end. The read is linearizable.",
      "With an option that speaks of several keys it prints them as kvorum range does."
    })
final class GetCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();
  @Mixin private final SelectionOptions selection = new SelectionOptions();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "END",
      description = "The keys from KEY to END, END not among them.")
  private @Nullable String end;

  @Option(names = "--prefix", description = "The keys that start with KEY; an empty KEY: all.")
  private boolean prefix;

  @Option(names = "--from-key", description = "KEY and every key behind it; an empty KEY: all.")
  private boolean fromKey;

  GetCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    KeyRange unused = range();
    selection.check();
  }

  private KeyRange range() {
    Bytes behind = end == null ? null : bytes.parse("END", end);
    return KeyArguments.range(bytes.parse("KEY", key), behind, prefix, fromKey);
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    KeyRange range = range();
    if (!range.isSingle() || selection.selects()) {
      new RangePrinter(terminal(), bytes, options().json(), out)
          .read(connection.client(), range, selection.rangeOptions());
      return ExitCode.DONE;
    }
    Bytes wanted = range.from();
    GetOptions how = GetOptions.DEFAULT.withRevision(selection.revision());
    GetResult result = connection.client().blocking().get(wanted, how);
    if (result.keyValue().isEmpty()) {
      throw new CommandFailure(ExitCode.NOT_FOUND, "no such key: " + bytes.line(wanted));
    }
    KeyValue found = result.keyValue().get();
    if (options().json()) {
      out.json(found, false);
    } else {
      out.line(bytes.raw(found.value()));
    }
    return ExitCode.DONE;
  }
}
