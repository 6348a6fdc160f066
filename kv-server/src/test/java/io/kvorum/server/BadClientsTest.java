package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.HelloRequest;
import io.kvorum.protocol.PutRequest;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.testkit.Await;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes over either port without being asked for: the connection is closed, the node lives on,
 * and memory stays bounded (FAULTS F149, F155, F168).
 */
class BadClientsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path directory;
  private TestCluster cluster;
  private RemoteKvClient client;

  @BeforeEach
  void start() {
    cluster = TestCluster.start(directory, 3);
    Member member = cluster.member(0);
    client =
        RemoteKvClient.connect(
            ClientConfig.of(new Endpoint(member.host(), member.clientPort())));
    client.blocking().put(Bytes.utf8("before"), Bytes.utf8("it"));
  }

  @AfterEach
  void close() {
    // Whatever was done to the ports, an ordinary client is served.
    client.blocking().put(Bytes.utf8("after"), Bytes.utf8("it"));
    assertThat(client.blocking().get(Bytes.utf8("after")).value()).isPresent();
    for (int i = 0; i < 3; i++) {
      assertThat(cluster.node(i).failure()).isNotDone();
    }
    client.close();
    cluster.close();
  }

  private Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) LIMIT.toMillis());
    return socket;
  }

  private List<Integer> ports() {
    return List.of(cluster.member(0).clientPort(), cluster.member(0).peerPort());
  }

  private static void assertClosed(Socket socket) {
    try {
      assertThat(socket.getInputStream().read()).as("end of the stream").isEqualTo(-1);
    } catch (IOException reset) {
      assertThat(reset).hasMessageNotContaining("timed out");
    }
  }

  @Test
  void randomBytes() throws IOException {
    SplittableRandom random = new SplittableRandom(42);
    for (int port : ports()) {
      for (int i = 0; i < 50; i++) {
        byte[] noise = new byte[1 + random.nextInt(2_000)];
        random.nextBytes(noise);
        try (Socket socket = connect(port)) {
          socket.getOutputStream().write(noise);
          socket.shutdownOutput();
          assertClosed(socket);
        }
      }
    }
  }

  @Test
  void aHugeLength() throws IOException {
    for (int port : ports()) {
      for (int length : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 1 << 30}) {
        try (Socket socket = connect(port)) {
          DataOutputStream out = new DataOutputStream(socket.getOutputStream());
          out.writeInt(length);
          // The peers' lengths are little-endian.
          out.writeInt(Integer.reverseBytes(length));
          assertClosed(socket);
        }
      }
    }
  }

  @Test
  void halfAFrameThenSilence() throws IOException {
    for (int port : ports()) {
      try (Socket socket = connect(port)) {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(port == cluster.member(0).peerPort() ? Integer.reverseBytes(100) : 100);
        out.write(new byte[10]);
        assertClosed(socket);
      }
    }
  }

  @Test
  void aRequestBeforeTheHello() throws IOException {
    try (Socket socket = connect(cluster.member(0).clientPort())) {
      send(
          socket,
          ClientFrame.newBuilder().setId(1).setPut(PutRequest.getDefaultInstance()).build());
      assertClosed(socket);
    }
  }

  @Test
  void aHelloForAnotherClusterOrOfAnotherVersionIsToldWhy() throws IOException {
    assertThat(hello(1, "other").getError().getReason()).isEqualTo(Error.Reason.WRONG_CLUSTER);
    assertThat(hello(1, "other").getError().getMessage()).contains("test").contains("other");
    assertThat(hello(99, "").getError().getReason()).isEqualTo(Error.Reason.UNSUPPORTED);
    assertThat(hello(1, "test").getHello().getNodeId()).isEqualTo("n1");
  }

  private ServerFrame hello(int version, String clusterId) throws IOException {
    try (Socket socket = connect(cluster.member(0).clientPort())) {
      send(
          socket,
          ClientFrame.newBuilder()
              .setId(1)
              .setHello(
                  HelloRequest.newBuilder().setProtocolVersion(version).setClusterId(clusterId))
              .build());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return ServerFrame.parseFrom(in.readNBytes(in.readInt()));
    }
  }

  private static void send(Socket socket, ClientFrame frame) throws IOException {
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    byte[] bytes = frame.toByteArray();
    out.writeInt(bytes.length);
    out.write(bytes);
    out.flush();
  }

  @Test
  void aThousandIdleConnectionsOnEachPort() throws IOException {
    for (int port : ports()) {
      List<Socket> idle = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        idle.add(connect(port));
      }
      client.blocking().put(Bytes.utf8("among"), Bytes.utf8("them"));
      // Those that never say hello are closed after some seconds.
      Await.until("the last one to be closed", LIMIT, () -> isClosed(idle.get(999)));
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  private static boolean isClosed(Socket socket) throws IOException {
    socket.setSoTimeout(1);
    try {
      return socket.getInputStream().read() == -1;
    } catch (SocketTimeoutException silent) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }
}
