package io.kvorum.cli;

import io.kvorum.client.recipes.ServiceInstance;
import io.kvorum.client.recipes.ServiceView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum registry watch}. */
@Command(
    name = "watch",
    description = {
      "Print which instances of a service there are, and then what changes, until Ctrl-C: added,"
          + " changed or removed, id, address, health and metadata, a line each.",
      "What comes and goes between two looks may go unmentioned."
    })
final class RegistryWatchCommand extends ClientCommand {
  @Mixin private final RegistryOptions registry = new RegistryOptions();

  @Parameters(index = "0", paramLabel = "SERVICE", description = "The service.")
  private String service = "";

  @Option(
      names = "--max-events",
      paramLabel = "N",
      description = "End after so many lines. Default: never.")
  private long eventsMax = Long.MAX_VALUE;

  RegistryWatchCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  /** A line. */
  private record Change(String what, ServiceInstance instance) {}

  @Override
  void check() {
    RegistryOptions.check(service);
    CommandFailure.checkAtLeast("--max-events", 1, eventsMax);
  }

  @Override
  int run(Connection connection, Output out) throws InterruptedException {
    Told<Change> told = new Told<>(eventsMax, change -> print(change, out));
    Map<String, ServiceInstance> known = new TreeMap<>();
    ServiceView view =
        registry
            .registry(connection)
            .discover(service, now -> changes(known, now).forEach(told::tell));
    try {
      return told.await();
    } finally {
      view.close();
    }
  }

  /** What is new; then it is known. Called for one thing at a time. */
  private static List<Change> changes(
      Map<String, ServiceInstance> known, List<ServiceInstance> now) {
    List<Change> changes = new ArrayList<>();
    Map<String, ServiceInstance> gone = new TreeMap<>(known);
    known.clear();
    for (ServiceInstance one : now) {
      ServiceInstance before = gone.remove(one.id());
      known.put(one.id(), one);
      if (before == null) {
        changes.add(new Change("added", one));
      } else if (!before.equals(one)) {
        changes.add(new Change("changed", one));
      }
    }
    gone.values().forEach(one -> changes.add(new Change("removed", one)));
    return changes;
  }

  private void print(Change change, Output out) {
    ServiceInstance one = change.instance;
    if (options().json()) {
      out.json(
          json -> {
            json.writeStringField("change", change.what);
            RegistryOptions.write(json, one);
          });
    } else {
      String metadata = RegistryOptions.metadata(one);
      out.line(
          change.what
              + " "
              + one.id()
              + " "
              + one.address()
              + " "
              + one.health()
              + (metadata.isEmpty() ? "" : " " + metadata));
    }
    out.flush();
  }
}
