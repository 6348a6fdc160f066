package io.kvorum.cli;

import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.RecipePorts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum lock}. */
@Command(
    name = "lock",
    description = {
      "Wait for a lock, hold it while COMMAND runs, and let it go. The exit code is COMMAND's.",
      "COMMAND finds in KVORUM_FENCE a number that grows from holder to holder: what it writes to,"
          + " should refuse a number lower than one that it has seen. For if this process stands"
          + " still for longer than --ttl, another may get the lock before COMMAND has ended.",
      "When the lock is lost, COMMAND and what it has started get SIGTERM, then SIGKILL, and the"
          + " exit code is 10. When this process is ended by a signal, so is COMMAND.",
      "Without COMMAND: print the number, and hold the lock until Ctrl-C."
    })
final class LockCommand extends ClientCommand {
  @Mixin private final HoldOptions hold = new HoldOptions();

  @Parameters(index = "0", paramLabel = "NAME", description = "The lock.")
  private String name = "";

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "What to run, behind a --.")
  private List<String> words = List.of();

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "Give up, with exit code 3, if others hold it for so long. Default: wait for ever.")
  private @Nullable Duration wait;

  LockCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    if (name.isEmpty()) {
      throw CommandFailure.usage("the name of the lock is empty");
    }
  }

  @Override
  int run(Connection connection, Output out) throws InterruptedException {
    RecipePorts ports = RecipePorts.of(connection.client());
    Owner owner = Blocking.await(Owner.open(ports, hold.ttl()));
    try (Hold holding = new Hold(terminal(), hold.killAfter(), owner::end)) {
      Held held = acquire(DistributedLock.of(owner, name));
      CompletableFuture<String> lost = new CompletableFuture<>();
      held.onLost(why -> lost.complete("the lock " + name + " is lost: " + why));
      if (words.isEmpty()) {
        print(held.fencingToken(), out);
      }
      String fence = Long.toString(held.fencingToken());
      return holding.run(words, Map.of(HoldOptions.FENCE_VARIABLE, fence), lost);
    }
  }

  private Held acquire(DistributedLock lock) {
    Duration limit = wait;
    Optional<Held> held =
        limit == null
            ? Optional.of(Blocking.await(lock.acquire()))
            : Blocking.await(lock.tryAcquire(limit));
    return held.orElseThrow(
        () ->
            new CommandFailure(
                ExitCode.UNAVAILABLE, "the lock " + name + " is held by others; given up"));
  }

  private void print(long fence, Output out) {
    if (options().json()) {
      out.json(json -> json.writeNumberField("fence", fence));
    } else {
      out.line("fence " + fence);
    }
    out.flush();
  }
}
