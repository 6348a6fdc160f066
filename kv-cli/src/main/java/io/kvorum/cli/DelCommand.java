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
      "       kvorum del [OPTIONS] --prefix PREFIX",
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

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "All keys that start with it; an empty prefix means every key.")
  private @Nullable String prefix;

  DelCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    int ways = (key != null ? 1 : 0) + (prefix != null ? 1 : 0) + (bounds.given() ? 1 : 0);
    if (ways != 1) {
      throw CommandFailure.usage("say what to delete: KEY, --prefix, or --from and --to");
    }
    var unused = once.key();
    if (key != null) {
      bytes.parse("KEY", key);
    } else {
      bounds.range(prefix, bytes);
    }
  }

  @Override
  int run(Connection connection, Output out) {
    DeleteOptions how = new DeleteOptions(false, once.key());
    DeleteResult result;
    if (key != null) {
      result = connection.client().blocking().delete(bytes.parse("KEY", key), how);
    } else {
      KeyRange range = bounds.range(prefix, bytes);
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
