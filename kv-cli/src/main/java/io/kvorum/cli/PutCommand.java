package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum put}. */
@Command(
    name = "put",
    description = {
      "Set the value of a key. Done when a majority of the nodes holds it on disk.",
      "A key or value that starts with a dash goes behind --: put -- KEY -5"
    })
final class PutCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();
  @Mixin private final IdempotencyOptions once = new IdempotencyOptions();

  @Parameters(index = "0", paramLabel = "KEY", description = "The key.")
  private String key = "";

  @Parameters(
      index = "1",
      paramLabel = "VALUE",
      description = "The value; a single dash reads it from standard input, byte by byte.")
  private String value = "";

  @Option(
      names = "--lease",
      paramLabel = "ID",
      description = "The lease that the key hangs on, in hexadecimal. Without it: on none.")
  private @Nullable String lease;

  PutCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    bytes.parse("KEY", key);
    var unused = once.key();
    if (lease != null) {
      LeaseId.parse("--lease", lease);
    }
    if (!value.equals("-")) {
      bytes.parse("VALUE", value);
    }
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    Bytes content =
        value.equals("-")
            ? Bytes.wrapUnsafe(terminal().in().readAllBytes())
            : bytes.parse("VALUE", value);
    long hangsOn = lease == null ? 0 : LeaseId.parse("--lease", lease);
    PutOptions how = new PutOptions(false, false, hangsOn, false, once.key());
    PutResult put = connection.client().blocking().put(bytes.parse("KEY", key), content, how);
    long revision = put.header().revision();
    if (options().json()) {
      out.json(json -> json.writeNumberField("revision", revision));
    } else {
      out.line("revision " + revision);
    }
    return ExitCode.DONE;
  }
}
