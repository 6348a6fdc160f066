package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.kvorum.client.Endpoint;
import io.kvorum.server.KvNode;
import io.kvorum.server.KvServer;
import io.kvorum.server.metrics.NodeMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code GET /metrics} with the figures of the node and of its process, as Prometheus reads
 * them (text format 0.0.4). Whoever can reach the port may ask; whoever begins to ask and does not
 * go on is cut off after some seconds, and does not keep others from asking.
 */
final class MetricsPort implements KvServer.Companion {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsPort.class);
  private static final String PATH = "/metrics";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final int THREADS = 4;

  /** Of the JDK's server, which by itself waits for ever; in seconds. */
  private static final Map<String, String> LIMITS =
      Map.of("sun.net.httpserver.maxReqTime", "3", "sun.net.httpserver.maxRspTime", "30");

  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int NO_BODY = -1;

  private final Endpoint endpoint;
  private @Nullable HttpServer server;
  private @Nullable ExecutorService threads;

  private MetricsPort(Endpoint endpoint) {
    this.endpoint = endpoint;
  }

  /** There, or nothing. */
  static KvServer.Companion at(Optional<Endpoint> endpoint) {
    return endpoint.<KvServer.Companion>map(MetricsPort::new).orElseGet(Nobody::new);
  }

  @Override
  public synchronized void accompany(KvNode node) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new NodeMetrics(node).bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    LIMITS.forEach((name, limit) -> System.setProperty(name, System.getProperty(name, limit)));
    try {
      InetSocketAddress address = new InetSocketAddress(endpoint.host(), endpoint.port());
      HttpServer opened = HttpServer.create(address, 0);
      ExecutorService answering = Executors.newFixedThreadPool(THREADS, MetricsPort::daemon);
      opened.setExecutor(answering);
      opened.createContext("/", exchange -> answer(exchange, registry));
      opened.start();
      server = opened;
      threads = answering;
    } catch (IOException failed) {
      throw new UncheckedIOException(
          "metrics: cannot listen on " + endpoint + ": " + failed.getMessage(), failed);
    }
    LOG.info("metrics at http://{}{}", endpoint, PATH);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "kvorum-metrics");
    thread.setDaemon(true);
    return thread;
  }

  private static void answer(HttpExchange exchange, PrometheusMeterRegistry registry)
      throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(NOT_FOUND, NO_BODY);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        exchange.sendResponseHeaders(WRONG_METHOD, NO_BODY);
      } else {
        byte[] body = registry.scrape(TEXT).getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", TEXT);
        exchange.sendResponseHeaders(OK, body.length);
        try (OutputStream stream = exchange.getResponseBody()) {
          stream.write(body);
        }
      }
    }
  }

  @Override
  public synchronized void close() {
    if (server != null) {
      server.stop(0);
      server = null;
    }
    if (threads != null) {
      threads.shutdownNow();
      threads = null;
    }
  }

  /** Beside a node whose figures nobody wants. */
  private static final class Nobody implements KvServer.Companion {
    @Override
    public void accompany(KvNode node) {}

    @Override
    public void close() {}
  }
}
