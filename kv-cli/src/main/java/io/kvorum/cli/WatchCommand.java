package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum watch}. */
@Command(
    name = "watch",
    description = {
      "Print the changes of a key, or of a range, until Ctrl-C.",
      "Text is etcdctl's: PUT or DELETE, the key, the value, a line each, and with --prev-kv in"
          + " front of these what the key held before; bytes are written as range writes them."
          + " JSON is one object a line.",
      "The watch goes on across restarts and changes of leader. It ends, with exit code 5, when"
          + " compaction has removed changes that were not printed yet."
    })
final class WatchCommand extends ClientCommand {
  @Mixin private final BytesOptions bytes = new BytesOptions();

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

  @Option(
      names = "--rev",
      paramLabel = "REVISION",
      description = "From this revision on, in the past or to come. Default: from now on.")
  private long revision;

  @Option(names = "--prev-kv", description = "Print also what a key held before.")
  private boolean previous;

  @Option(
      names = "--max-events",
      paramLabel = "N",
      description =
          "End after so many changes; without --rev, those of the past do not count. Default:"
              + " never, and a reader of the output that goes away is noticed at the next change.")
  private long eventsMax = Long.MAX_VALUE;

  @Option(
      names = "--progress",
      description = "Print now and then how far the watch is while nothing changes.")
  private boolean progress;

  WatchCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    KeyRange unused = range();
    CommandFailure.checkAtLeast("--rev", 0, revision);
    CommandFailure.checkAtLeast("--max-events", 1, eventsMax);
  }

  private KeyRange range() {
    Bytes behind = end == null ? null : bytes.parse("END", end);
    return KeyArguments.range(bytes.parse("KEY", key), behind, prefix, false);
  }

  @Override
  int run(Connection connection, Output out) throws InterruptedException {
    Printer printer = new Printer(out);
    WatchOptions how = new WatchOptions(revision, previous, true, true, progress);
    Watch watch = connection.client().watch(range(), how, printer);
    try {
      return printer.done.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(failed.getCause());
    } finally {
      watch.close();
    }
  }

  /** Prints what it hears, as long as somebody reads it and wants more. */
  private final class Printer implements WatchListener {
    final CompletableFuture<Integer> done = new CompletableFuture<>();
    private final Output out;
    private long printed;

    Printer(Output out) {
      this.out = out;
    }

    @Override
    public void events(WatchEvents events) {
      print(() -> events.events().forEach(this::print));
    }

    @Override
    public void progress(long at) {
      print(
          () -> {
            if (options().json()) {
              out.json(json -> json.writeNumberField("progress", at));
            } else {
              out.line("progress notify: " + at);
            }
          });
    }

    private void print(Runnable what) {
      if (done.isDone()) {
        return;
      }
      try {
        what.run();
        out.flush();
      } catch (RuntimeException notWritten) {
        done.completeExceptionally(notWritten);
      }
      if (printed >= eventsMax) {
        done.complete(ExitCode.DONE);
      }
    }

    private void print(WatchEvent event) {
      if (printed >= eventsMax) {
        return;
      }
      printed++;
      if (options().json()) {
        out.json(
            json -> {
              json.writeStringField("type", event.type().name());
              Output.write(json, event.keyValue(), event.type() == WatchEvent.Type.DELETE);
              if (event.previous().isPresent()) {
                json.writeObjectFieldStart("previous");
                Output.write(json, event.previous().get(), false);
                json.writeEndObject();
              }
            });
        return;
      }
      out.line(event.type().name());
      event.previous().ifPresent(this::print);
      print(event.keyValue());
    }

    private void print(KeyValue one) {
      out.line(bytes.line(one.key()));
      out.line(bytes.line(one.value()));
    }

    @Override
    public void ended(WatchEnd how) {
      if (how instanceof WatchEnd.Compacted compacted) {
        done.completeExceptionally(
            new CommandFailure(
                ExitCode.REJECTED,
                "changes from revision "
                    + compacted.fromRevision()
                    + " on are compacted; the oldest to watch from is "
                    + compacted.compactRevision()));
      } else if (how instanceof WatchEnd.Rejected rejected) {
        done.completeExceptionally(rejected.cause());
      } else {
        done.complete(ExitCode.DONE);
      }
    }
  }
}
