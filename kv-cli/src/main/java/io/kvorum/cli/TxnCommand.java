package io.kvorum.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.kvorum.api.KeyValue;
import io.kvorum.api.OpResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.cli.transfer.LineInput;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kvorum txn}. */
@Command(
    name = "txn",
    description = {
      "Execute a transaction: at one instant, all of it or nothing. It is read from standard input,"
          + " in etcdctl's notation: comparisons, an empty line, what to do if all hold, an empty"
          + " line, what to do otherwise.",
      "Comparisons: mod(\"key\") = \"0\", create, version, value, lease; with =, !=, < and >.",
      "Operations: put KEY VALUE, get KEY, del KEY, add KEY NUMBER, append KEY SUFFIX; with the"
          + " options of kvorum get, --prefix, --prev-kv, --ignore-value, --ignore-lease, --lease."
          + " Words with blanks stand in quotes: \"a b\\n\" or 'a b'."
    })
final class TxnCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();
  @Mixin private final IdempotencyOptions once = new IdempotencyOptions();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "Read it from there instead.")
  private @Nullable Path file;

  TxnCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    var unused = once.key();
    Path from = file;
    if (from != null && (!Files.isReadable(from) || Files.isDirectory(from))) {
      throw CommandFailure.local("cannot read " + from + ", or it is a directory");
    }
  }

  @Override
  int run(Connection connection, Output out) throws IOException {
    Txn txn = read();
    TxnOptions how = new TxnOptions(ReadConsistency.LINEARIZABLE, once.key());
    TxnResult result = connection.client().blocking().txn(txn, how);
    if (options().json()) {
      out.json(json -> writeJson(json, result));
    } else {
      out.line(result.succeeded() ? "SUCCESS" : "FAILURE");
      result.results().forEach(each -> print(each, out));
    }
    return ExitCode.DONE;
  }

  private Txn read() throws IOException {
    Path from = file;
    if (from == null) {
      boolean isWatched = terminal().errIsTerminal();
      return read(terminal().in(), isWatched);
    }
    try (InputStream in = Files.newInputStream(from)) {
      return read(in, false);
    }
  }

  private Txn read(InputStream in, boolean isWatched) throws IOException {
    LineInput lines = new LineInput(new BufferedInputStream(in));
    return new TxnText(lines, text -> prompt(text, isWatched)).read();
  }

  private void prompt(String text, boolean isWatched) {
    if (isWatched) {
      terminal().err().println(text);
    }
  }

  private void print(OpResult result, Output out) {
    if (result instanceof OpResult.Put put) {
      out.line("OK");
      put.previous().ifPresent(held -> print(held, out));
    } else if (result instanceof OpResult.DeleteRange delete) {
      out.line(Long.toString(delete.deleted()));
      delete.previous().forEach(held -> print(held, out));
    } else if (result instanceof OpResult.Range range) {
      range.keyValues().forEach(found -> print(found, out));
      if (range.keyValues().isEmpty() && range.count() > 0) {
        out.line(Long.toString(range.count()));
      }
    } else if (result instanceof OpResult.Add add) {
      out.line(Long.toString(add.value()));
    } else if (result instanceof OpResult.Append append) {
      out.line(Long.toString(append.valueBytes()));
    } else {
      throw new AssertionError("nothing that was asked for: " + result.getClass());
    }
  }

  private void print(KeyValue held, Output out) {
    out.line(bytes.line(held.key()) + "\t" + bytes.line(held.value()));
  }

  private static void writeJson(JsonGenerator json, TxnResult result) throws IOException {
    json.writeBooleanField("succeeded", result.succeeded());
    json.writeNumberField("revision", result.header().revision());
    json.writeArrayFieldStart("results");
    for (OpResult each : result.results()) {
      json.writeStartObject();
      writeJson(json, each);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeJson(JsonGenerator json, OpResult result) throws IOException {
    if (result instanceof OpResult.Put put) {
      json.writeStringField("op", "put");
      writeJson(json, "previous", previous(put.previous()));
    } else if (result instanceof OpResult.DeleteRange delete) {
      json.writeStringField("op", "del");
      json.writeNumberField("deleted", delete.deleted());
      writeJson(json, "previous", delete.previous());
    } else if (result instanceof OpResult.Range range) {
      json.writeStringField("op", "get");
      json.writeNumberField("count", range.count());
      json.writeBooleanField("more", range.more());
      writeJson(json, "keyValues", range.keyValues());
    } else if (result instanceof OpResult.Add add) {
      json.writeStringField("op", "add");
      json.writeNumberField("value", add.value());
    } else if (result instanceof OpResult.Append append) {
      json.writeStringField("op", "append");
      json.writeNumberField("valueBytes", append.valueBytes());
    } else {
      throw new AssertionError("nothing that was asked for: " + result.getClass());
    }
  }

  private static List<KeyValue> previous(Optional<KeyValue> held) {
    return held.stream().toList();
  }

  private static void writeJson(JsonGenerator json, String name, List<KeyValue> all)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (KeyValue each : all) {
      json.writeStartObject();
      Output.write(json, each, false);
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
