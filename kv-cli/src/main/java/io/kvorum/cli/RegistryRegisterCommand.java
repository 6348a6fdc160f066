package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.client.recipes.Registration;
import io.kvorum.client.recipes.ServiceInstance;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum registry register}. */
@Command(
    name = "register",
    description = {
      "Register an instance of a service, keep it registered while COMMAND runs, and take it out."
          + " The exit code is COMMAND's.",
      "It hangs on a lease: if this process dies, it disappears after --ttl; if it was cut off for"
          + " longer, it registers again by itself.",
      "Without COMMAND: until Ctrl-C."
    })
final class RegistryRegisterCommand extends ClientCommand {
  @Mixin private final RegistryOptions registry = new RegistryOptions();
  @Mixin private final HoldOptions hold = new HoldOptions();

  @Parameters(index = "0", paramLabel = "SERVICE", description = "The service.")
  private String service = "";

  @Parameters(
      index = "1",
      paramLabel = "ID",
      description =
          "Tells the instances of the service apart. An instance of the same id is replaced.")
  private String id = "";

  @Parameters(index = "2", paramLabel = "ADDRESS", description = "Where it is reached.")
  private String address = "";

  @Parameters(
      index = "3..*",
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "What to run, behind a --.")
  private List<String> words = List.of();

  @Option(
      names = "--meta",
      paramLabel = "NAME=VALUE",
      description = "What else clients should know; may be given more than once.")
  private Map<String, String> metadata = new LinkedHashMap<>();

  RegistryRegisterCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    RegistryOptions.check(service);
    ServiceInstance unused = instance();
  }

  private ServiceInstance instance() {
    try {
      ServiceInstance instance = ServiceInstance.of(id, address);
      for (Map.Entry<String, String> each : metadata.entrySet()) {
        instance = instance.with(each.getKey(), each.getValue());
      }
      return instance;
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
    }
  }

  @Override
  int run(Connection connection, Output out) throws InterruptedException {
    Registration registration =
        registry.registry(connection).register(service, instance(), hold.ttl());
    try (Hold holding = new Hold(terminal(), hold.killAfter(), registration::end)) {
      await(registration.registered());
      if (words.isEmpty()) {
        out.line("registered " + service + "/" + id);
        out.flush();
      }
      return holding.run(words, Map.of(), new CompletableFuture<>());
    }
  }

  private void await(CompletableFuture<Void> registered) throws InterruptedException {
    try {
      registered.get(options().timeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new KvException.Unavailable("not registered within " + options().timeout());
    } catch (ExecutionException closed) {
      throw new IllegalStateException("closed by nobody", closed);
    }
  }
}
