package io.kvorum.cli;

import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.ServiceInstance;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code kvorum registry list}. */
@Command(
    name = "list",
    description = {
      "Print the instances of a service that are registered now.",
      "With exit code 1 when there are none."
    })
final class RegistryListCommand extends ClientCommand {
  @Mixin private final RegistryOptions registry = new RegistryOptions();

  @Parameters(index = "0", paramLabel = "SERVICE", description = "The service.")
  private String service = "";

  RegistryListCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    RegistryOptions.check(service);
  }

  @Override
  int run(Connection connection, Output out) {
    List<ServiceInstance> found = Blocking.await(registry.registry(connection).instances(service));
    if (options().json()) {
      found.forEach(one -> out.json(json -> RegistryOptions.write(json, one)));
    } else if (!found.isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("ID", "ADDRESS", "HEALTH", "METADATA"));
      for (ServiceInstance one : found) {
        rows.add(
            List.of(one.id(), one.address(), one.health().name(), RegistryOptions.metadata(one)));
      }
      Table.print(rows, out::line);
    }
    return found.isEmpty() ? ExitCode.NOT_FOUND : ExitCode.DONE;
  }
}
