package io.kvorum.cli;

import io.kvorum.api.KeyRange;
import io.kvorum.cli.transfer.Exporter;
import io.kvorum.cli.transfer.Format;
import io.kvorum.cli.transfer.RangePages;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum export}. */
@Command(
    name = "export",
    description = {
      "Write keys and values, all as of one revision, in a format that import reads back to the"
          + " same bytes.",
      "A file appears under its name only once it is whole."
    })
final class ExportCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();
  @Mixin private final BoundsOptions bounds = new BoundsOptions();

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

  @Option(
      names = "--format",
      paramLabel = "jsonl|csv|properties",
      description = "The format; without it, by the ending of the file's name, else jsonl.")
  private @Nullable Format format;

  @Option(
      names = "--rev",
      paramLabel = "REVISION",
      description = "As of this revision of the store, instead of now.")
  private long revision;

  @Option(
      names = {"-O", "--output-file"},
      paramLabel = "FILE",
      description = "Write to this file instead of standard output.")
  private @Nullable Path file;

  ExportCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    if (isPrefix && prefix == null) {
      throw CommandFailure.usage("--prefix goes with PREFIX");
    }
    bounds.range(prefix, bytes);
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    Exporter exporter = new Exporter(connection.client());
    KeyRange range = bounds.range(prefix, bytes);
    if (file == null) {
      exporter.run(range, revision, format(), out);
      return ExitCode.DONE;
    }
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    RangePages.End end;
    try (OutputStream sink = new BufferedOutputStream(Files.newOutputStream(unfinished), 1 << 16)) {
      end = exporter.run(range, revision, format(), sink);
    }
    Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
    if (options().json()) {
      out.json(
          json -> {
            json.writeNumberField("exported", end.keys());
            json.writeNumberField("revision", end.revision());
          });
    } else {
      out.line("exported " + end.keys() + " as of revision " + end.revision());
    }
    return ExitCode.DONE;
  }

  private Format format() {
    if (format != null) {
      return format;
    }
    return file == null
        ? Format.JSONL
        : Format.ofFileName(String.valueOf(file.getFileName())).orElse(Format.JSONL);
  }
}
