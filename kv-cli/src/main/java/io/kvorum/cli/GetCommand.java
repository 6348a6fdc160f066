package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum get}. */
@Command(
    name = "get",
    description =
        "Print the value of a key, as it is and with a line end. The read is linearizable.")
final class GetCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Option(
      names = "--rev",
      paramLabel = "REVISION",
      description = "The value as of this revision of the store, instead of now.")
  private long revision;

  GetCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    bytes.parse("KEY", key);
  }

  @Override
  int run(Connection connection, Output out) {
    Bytes wanted = bytes.parse("KEY", key);
    GetOptions how = GetOptions.DEFAULT.withRevision(revision);
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
