package io.kvorum.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.client.recipes.ServiceInstance;
import io.kvorum.client.recipes.ServiceRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.StringJoiner;
import picocli.CommandLine.Option;

/** Which registry is meant, and how its instances are written. */
final class RegistryOptions {
  @Option(
      names = "--root",
      paramLabel = "KEY",
      description = "The key that the registry stands below. Default: services")
  private String root = "services";

  ServiceRegistry registry(Connection connection) {
    return ServiceRegistry.of(RecipePorts.of(connection.client()), root);
  }

  /** A service is named as the registry wants it. */
  static void check(String service) {
    if (service.isEmpty() || service.contains("/")) {
      throw CommandFailure.usage("SERVICE is not empty and has no slash, not '" + service + "'");
    }
  }

  static String metadata(ServiceInstance instance) {
    StringJoiner text = new StringJoiner(" ");
    instance.metadata().forEach((name, value) -> text.add(name + "=" + value));
    return text.toString();
  }

  static void write(JsonGenerator json, ServiceInstance instance) throws IOException {
    json.writeStringField("id", instance.id());
    json.writeStringField("address", instance.address());
    json.writeStringField("health", instance.health().name());
    json.writeObjectFieldStart("metadata");
    for (Map.Entry<String, String> each : instance.metadata().entrySet()) {
      json.writeStringField(each.getKey(), each.getValue());
    }
    json.writeEndObject();
  }
}
