package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.client.Endpoint;
import io.kvorum.server.KvNode;
import io.kvorum.server.KvServer;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.net.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus gets from a server process. */
class MetricsPortTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path directory;

  private final Endpoint endpoint =
      new Endpoint("127.0.0.1", Ports.free(1, ProcessHandle.current().pid()).get(0));

  private HttpResponse<String> ask(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://" + endpoint + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void theFiguresOfNodeAndProcessAreToldInPrometheusFormat()
      throws IOException, InterruptedException {
    KvServer.Companion port = MetricsPort.at(Optional.of(endpoint));
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory).build());
        port) {
      node.blocking().put(Bytes.utf8("a"), Bytes.utf8("1"));
      port.accompany(node);

      HttpResponse<String> answer = ask("GET", "/metrics");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/plain; version=0.0.4");
      assertThat(answer.body())
          .contains("# HELP kvorum_store_revision the newest revision")
          .containsPattern("(?m)^kvorum_store_revision 2.0$")
          .containsPattern("(?m)^kvorum_raft_leads 1.0$")
          .containsPattern("(?m)^kvorum_log_syncs_total [1-9]")
          .containsPattern("(?m)^kvorum_snapshot_receiving_bytes 0.0$")
          .containsPattern("(?m)^jvm_memory_used_bytes\\{");
      assertThat(ask("GET", "/").statusCode()).isEqualTo(404);
      assertThat(ask("GET", "/metrics/x").statusCode()).isEqualTo(404);
      assertThat(ask("POST", "/metrics").statusCode()).isEqualTo(405);
    }
    assertThatThrownBy(() -> ask("GET", "/metrics")).isInstanceOf(IOException.class);
  }

  /** With one thread and no limit, one of them would do. */
  @Test
  void whoeverStopsInTheMiddleOfARequestHoldsUpNobodyForLong()
      throws IOException, InterruptedException {
    List<Socket> slow = new ArrayList<>();
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory).build());
        KvServer.Companion port = MetricsPort.at(Optional.of(endpoint))) {
      port.accompany(node);
      for (int i = 0; i < 10; i++) {
        Socket socket = new Socket(endpoint.host(), endpoint.port());
        socket.getOutputStream().write("GET /metr".getBytes(US_ASCII));
        slow.add(socket);
      }
      assertThat(ask("GET", "/metrics").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory).build());
        KvServer.Companion first = MetricsPort.at(Optional.of(endpoint));
        KvServer.Companion second = MetricsPort.at(Optional.of(endpoint))) {
      first.accompany(node);
      assertThatThrownBy(() -> second.accompany(node))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("metrics: cannot listen on " + endpoint);
    }
  }

  @Test
  void whoeverDoesNotWantThemPaysNothing() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory).build());
        KvServer.Companion none = MetricsPort.at(Optional.empty())) {
      none.accompany(node);
      assertThatThrownBy(() -> ask("GET", "/metrics")).isInstanceOf(IOException.class);
    }
  }
}
