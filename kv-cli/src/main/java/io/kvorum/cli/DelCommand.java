package io.kvorum.cli;

import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.KeyRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum del}. */
@Command(
    name = "del",
    customSynopsis = {
      "kvorum del [OPTIONS] KEY",
      "       kvorum del [OPTIONS] KEY --prefix",
      "       kvorum del [OPTIONS] --from KEY [--to KEY]"
    },
    description = {
      "Delete a key, or all keys of a range in one revision, and print how many there were.",
      "With exit code 1 when there was none."
    })
final class DelCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();
  @Mixin private final BoundsOptions bounds = new BoundsOptions();
  @Mixin private final IdempotencyOptions once = new IdempotencyOptions();

  @Parameters(index = "0", arity = "0..1", paramLabel = "KEY", description = "The key.")
  private @Nullable String key;

  @Option(names = "--prefix", description = "The keys that start with KEY; an empty KEY: all.")
  private boolean prefix;

  DelCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    if ((key != null) == bounds.given() || (prefix && key == null)) {
      throw CommandFailure.usage("say what to delete: KEY, KEY --prefix, or --from and --to");
    }
    var unused = once.key();
    if (key != null && !prefix) {
      bytes.parse("KEY", key);
    } else {
      bounds.range(key, bytes);
    }
  }

  @Override
  int run(Connection connection, Output out) {
    DeleteOptions how = new DeleteOptions(false, once.key());
    DeleteResult result;
    if (key != null && !prefix) {
      result = connection.client().blocking().delete(bytes.parse("KEY", key), how);
    } else {
      KeyRange range = bounds.range(key, bytes);
      result = connection.client().blocking().deleteRange(range, how);
    }
    if (options().json()) {
      out.json(
          json -> {
            json.writeNumberField("deleted", result.deleted());
            json.writeNumberField("revision", result.header().revision());
          });
    } else {
      out.line(Long.toString(result.deleted()));
    }
    return result.deleted() == 0 ? ExitCode.NOT_FOUND : ExitCode.DONE;
  }
}
