package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.cli.transfer.Format;
import io.kvorum.cli.transfer.Importer;
import io.kvorum.node.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum import}. */
@Command(
    name = "import",
    description = {
      "Put the pairs of a file, many at once, and print how many were stored.",
      "jsonl: one object a line, key and value, or keyBase64 and valueBase64.",
      "csv: the first line names the columns key, value and, if need be, encoding (base64).",
      "properties: as java.util.Properties; \\udc80 to \\udcff stand for bytes that are no UTF-8.",
      "It stops at the first line that is malformed and says how many were stored before. Putting"
          + " a pair twice leaves what once leaves, so an import that failed half-way, or a put"
          + " whose outcome is unknown, may be repeated; the import itself repeats such a put"
          + " twice."
    })
final class ImportCommand extends ClientCommand {
  private static final String REST =
      "; so many are certainly stored, each of the other pairs may be or not. To import the same"
          + " again is safe: a pair that is put twice is stored as if once, over what others may"
          + " have put there since";

  @Mixin private final BytesOptions bytes = new BytesOptions();

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "The file; a single dash reads standard input.")
  private String file = "";

  @Option(
      names = "--format",
      paramLabel = "jsonl|csv|properties",
      description = "The format; without it, by the ending of the file's name.")
  private @Nullable Format format;

  @Option(names = "--prefix", paramLabel = "PREFIX", description = "Put before each key.")
  private String prefix = "";

  private final Clock clock;

  ImportCommand(Terminal terminal, ClientFactory clients, Clock clock) {
    super(terminal, clients);
    this.clock = clock;
  }

  @Override
  void check() {
    format();
    bytes.parse("--prefix", prefix);
    if (!fromStandardInput() && !Files.isReadable(Path.of(file))) {
      throw CommandFailure.local("cannot read " + file);
    }
  }

  @Override
  int run(Connection connection, Output out) throws IOException, InterruptedException {
    Bytes before = bytes.parse("--prefix", prefix);
    Importer.Result result;
    long start = clock.nanoTime();
    if (fromStandardInput()) {
      result = run(connection, terminal().in(), 0, before);
    } else {
      Path path = Path.of(file);
      try (InputStream source = Files.newInputStream(path)) {
        result = run(connection, source, Files.size(path), before);
      }
    }
    report(result, (clock.nanoTime() - start) / 1_000_000, out);
    return result.failure() == null ? ExitCode.DONE : failed(result, result.failure());
  }

  private Importer.Result run(
      Connection connection, InputStream source, long sizeBytes, Bytes before)
      throws IOException, InterruptedException {
    if (!terminal().errIsTerminal()) {
      return new Importer(connection.client(), stored -> {}).run(format().reader(source), before);
    }
    Progress progress = new Progress(terminal().err(), clock, sizeBytes);
    Importer.Result result =
        new Importer(connection.client(), progress::stored)
            .run(format().reader(progress.watch(source)), before);
    progress.finish(result.stored());
    return result;
  }

  private void report(Importer.Result result, long millis, Output out) {
    if (options().json()) {
      out.json(
          json -> {
            json.writeNumberField("stored", result.stored());
            json.writeNumberField("repeated", result.repeated());
            json.writeNumberField("millis", millis);
            json.writeBooleanField("complete", result.failure() == null);
          });
    } else {
      out.line(
          "stored "
              + result.stored()
              + " in "
              + millis
              + " ms"
              + (result.repeated() == 0 ? "" : ", repeated " + result.repeated() + " puts"));
    }
    out.flush();
  }

  private int failed(Importer.Result result, Throwable failure) {
    String stopped = "stopped after " + result.stored() + " stored: ";
    if (failure instanceof KvException expected) {
      // It is that of one put; others were under way beside it.
      throw new CommandFailure(
          Failures.exitCode(expected), stopped + Failures.name(expected) + REST);
    }
    if (failure instanceof IOException unreadable) {
      throw CommandFailure.local(stopped + file + ": " + unreadable.getMessage());
    }
    throw new IllegalStateException(stopped + failure, failure);
  }

  private boolean fromStandardInput() {
    return file.equals("-");
  }

  private Format format() {
    if (format != null) {
      return format;
    }
    return Format.ofFileName(file)
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    "the name " + file + " does not tell the format; say it with --format"));
  }
}
