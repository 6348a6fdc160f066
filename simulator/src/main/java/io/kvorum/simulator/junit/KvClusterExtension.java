package io.kvorum.simulator.junit;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.KvClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Starts the cluster of a {@link KvCluster} when a test asks for it, and takes it away again. */
final class KvClusterExtension implements ParameterResolver {
  private static final ExtensionContext.Namespace OURS =
      ExtensionContext.Namespace.create(KvClusterExtension.class);

  /** A cluster and its files; JUnit closes it when the test is over. */
  private record Running(InProcessCluster cluster, Path directory) implements AutoCloseable {
    @Override
    public void close() {
      cluster.close();
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == KvClient.class
        || type == BlockingKvClient.class
        || type == InProcessCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    InProcessCluster cluster =
        context
            .getStore(OURS)
            .getOrComputeIfAbsent(Running.class, absent -> start(context), Running.class)
            .cluster();
    Class<?> type = parameter.getParameter().getType();
    if (type == KvClient.class) {
      return cluster.client();
    }
    return type == BlockingKvClient.class ? cluster.client().blocking() : cluster;
  }

  private static Running start(ExtensionContext context) {
    KvCluster wanted =
        AnnotationSupport.findAnnotation(context.getElement(), KvCluster.class)
            .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), KvCluster.class))
            .orElseThrow();
    try {
      Path directory = Files.createTempDirectory("kvorum-test-");
      return new Running(InProcessCluster.start(directory, wanted.nodes()), directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
