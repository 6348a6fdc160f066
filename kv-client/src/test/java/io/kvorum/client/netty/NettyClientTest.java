package io.kvorum.client.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.KvException;
import io.kvorum.api.PutResult;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.protocol.ServerFrame;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client over real sockets: what the in-memory connections cannot show. */
class NettyClientTest {
  private static final Bytes KEY = Bytes.utf8("k");

  private LoopbackServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = new LoopbackServer();
  }

  @AfterEach
  void stopServer() throws IOException {
    server.close();
  }

  private ClientConfig.Builder config() {
    // A busy machine may be slow; only what is meant to time out here may.
    return ClientConfig.builder()
        .sessionTtl(Duration.ZERO)
        .endpoints(List.of(server.endpoint()))
        .requestTimeout(Duration.ofSeconds(30))
        .connectTimeout(Duration.ofSeconds(10))
        .silence(Duration.ofSeconds(10))
        .random(new Random(1));
  }

  private static <T> T await(CompletableFuture<T> future)
      throws ExecutionException, InterruptedException, TimeoutException {
    return future.get(40, TimeUnit.SECONDS);
  }

  private static Throwable failure(CompletableFuture<?> future) throws Exception {
    return future.handle((ok, failed) -> failed).get(40, TimeUnit.SECONDS);
  }

  /** Both kinds of event loop must do; a machine without epoll gets the second. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void putsAndGets(boolean preferEpoll) throws Exception {
    NettyLoop loop = preferEpoll ? NettyLoop.start() : NettyLoop.startNio();
    try (RemoteKvClient client =
        RemoteKvClient.connect(config().build(), loop, new NettyConnector(loop))) {
      await(client.put(KEY, Bytes.utf8("v")));
      assertThat(await(client.get(KEY)).value()).contains(Bytes.utf8("v"));
      assertThat(client.blocking().get(Bytes.utf8("other")).keyValue()).isEmpty();
      assertThat(await(client.status(server.endpoint())).nodeId()).isEqualTo("n1");
      assertThat(server.connections.get()).isEqualTo(1);
    }
  }

  @Test
  void thousandsOfCallsShareOneConnectionAndKeepTheirOrder() throws Exception {
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      List<CompletableFuture<PutResult>> puts = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        puts.add(client.put(Bytes.utf8("k" + i), Bytes.utf8("v" + i)));
      }
      for (int i = 0; i < puts.size(); i++) {
        assertThat(await(puts.get(i)).header().revision()).isEqualTo(i + 1L);
      }
      assertThat(await(client.get(Bytes.utf8("k9999"))).value()).contains(Bytes.utf8("v9999"));
      assertThat(server.connections.get()).isEqualTo(1);
    }
  }

  /** Frames smaller, equal and larger than the buffer they are gathered in. */
  @Test
  void valuesOfAllSizesArriveWhole() throws Exception {
    Random random = new Random(42);
    int[] sizes = {0, 1, 65_000, 65_535, 65_536, 65_537, 200_000, 1 << 20, (4 << 20) - 10};
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      List<Bytes> values = new ArrayList<>();
      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (int i = 0; i < sizes.length; i++) {
        byte[] content = new byte[sizes[i]];
        random.nextBytes(content);
        values.add(Bytes.copyOf(content));
        puts.add(client.put(Bytes.utf8("k" + i), values.get(i)));
      }
      for (int i = 0; i < sizes.length; i++) {
        await(puts.get(i));
        assertThat(await(client.get(Bytes.utf8("k" + i))).value()).contains(values.get(i));
      }
    }
  }

  @Test
  void answersInPiecesAreAnswers() throws Exception {
    server.dribbles = true;
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      await(client.put(KEY, Bytes.utf8("v")));
      assertThat(await(client.get(KEY)).value()).contains(Bytes.utf8("v"));
    }
  }

  static Stream<byte[]> noFrames() {
    byte[] random = new byte[100_000];
    new Random(5).nextBytes(random);
    return Stream.of(
        random,
        "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
        // A length of 2 GiB, of 4 GiB, and of one byte over the limit.
        ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array(),
        ByteBuffer.allocate(8).putInt(-1).array(),
        ByteBuffer.allocate(8).putInt((8 << 20) + 1).array(),
        // Frames that are whole and say nothing that protobuf can read.
        LoopbackServer.frame(new byte[] {-1, -1, -1, -1}),
        LoopbackServer.frame(new byte[] {0x0a}),
        LoopbackServer.frame(new byte[1_000]),
        // A group that never ends, nested deeper than any message.
        LoopbackServer.frame(nested()));
  }

  static Stream<byte[]> halfFrames() {
    return Stream.of(
        // A length at the limit of which nearly nothing follows; half a frame; half a length.
        ByteBuffer.allocate(20).putInt(8 << 20).array(),
        Arrays.copyOf(LoopbackServer.frame(new byte[1_000]), 500),
        new byte[] {0, 0},
        new byte[0]);
  }

  private static byte[] nested() {
    byte[] groups = new byte[100_000];
    Arrays.fill(groups, (byte) 0x7b);
    return groups;
  }

  /** Bad bytes end the connection, by the client's own doing, and nothing else (F168). */
  @ParameterizedTest
  @MethodSource("noFrames")
  void bytesThatAreNoFrameEndTheConnectionOnly(byte[] bytes) throws Exception {
    server.closesBehindIt = false;
    assertThat(losesOneWriteOnly(bytes)).hasMessageContaining("sent ");
  }

  /** The server dies in the middle of a frame. Nothing is allocated by an announced length. */
  @ParameterizedTest
  @MethodSource("halfFrames")
  void halfAFrameIsNoAnswer(byte[] bytes) throws Exception {
    assertThat(losesOneWriteOnly(bytes)).hasMessageContaining("connection");
  }

  private Throwable losesOneWriteOnly(byte[] bytes) throws Exception {
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      await(client.put(KEY, Bytes.utf8("before")));
      long memory = directMemory();
      server.insteadOfAnswers.add(bytes);
      Throwable failure = failure(client.put(KEY, Bytes.utf8("lost")));
      assertThat(failure).isInstanceOf(KvException.OutcomeUnknown.class);
      assertThat(directMemory() - memory).isLessThan(4 << 20);

      server.insteadOfAnswers.add(bytes);
      assertThat(await(client.get(KEY)).value()).contains(Bytes.utf8("before"));
      assertThat(server.connections.get()).isEqualTo(3);
      return failure;
    }
  }

  /** Netty counts its buffers itself where it can free them itself; the JDK counts the others. */
  private static long directMemory() {
    long jdk =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return jdk + Math.max(0, PlatformDependent.usedDirectMemory());
  }

  /** Whoever calls while another thread closes gets an end, whichever thread comes first. */
  @Test
  void callsThatRaceWithCloseEnd() throws Exception {
    for (int round = 0; round < 30; round++) {
      RemoteKvClient client = RemoteKvClient.connect(config().build());
      Queue<CompletableFuture<?>> calls = new ConcurrentLinkedQueue<>();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Thread caller = new Thread(() -> callUntilClosed(client, calls));
        callers.add(caller);
        caller.start();
      }
      int enough = round * 20;
      until(() -> calls.size() > enough);
      client.close();
      for (Thread caller : callers) {
        caller.join(10_000);
      }
      for (CompletableFuture<?> call : calls) {
        Throwable failure = failure(call);
        assertThat(failure == null || failure instanceof KvException).isTrue();
      }
    }
  }

  private static void callUntilClosed(RemoteKvClient client, Queue<CompletableFuture<?>> calls) {
    CompletableFuture<?> last;
    do {
      last = client.put(KEY, KEY);
      calls.add(last);
    } while (!last.isCompletedExceptionally());
  }

  /** Well-formed, but about nothing that was asked: ignored, as a late answer is. */
  @Test
  void aFrameWithAnUnknownIdIsIgnored() throws Exception {
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      await(client.put(KEY, Bytes.utf8("v")));
      ServerFrame stray = ServerFrame.newBuilder().setId(987_654_321).build();
      server.insteadOfAnswers.add(LoopbackServer.frame(stray.toByteArray()));
      assertThat(await(client.get(KEY)).value()).contains(Bytes.utf8("v"));
    }
  }

  /** A server that does not read costs the water mark, not all that waits for it (F149). */
  @Test
  void aServerThatDoesNotReadCostsBoundedMemory() throws Exception {
    server.gate = new CountDownLatch(1);
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      long memory = directMemory();
      Bytes value = Bytes.copyOf(new byte[256 << 10]);
      List<CompletableFuture<?>> puts = new ArrayList<>();
      CompletableFuture<PutResult> put = client.put(KEY, value);
      while (!put.isCompletedExceptionally()) {
        puts.add(put);
        put = client.put(KEY, value);
      }
      assertThat(failure(put)).isInstanceOf(KvException.Overloaded.class);
      assertThat(puts).hasSizeBetween(250, 256);
      // Give the loop time to send what it will; it has to stop by itself.
      for (int i = 0; i < 30; i++) {
        assertThat(directMemory() - memory).isLessThan(16 << 20);
        boolean unused = server.gate.await(10, TimeUnit.MILLISECONDS);
      }

      server.gate.countDown();
      for (CompletableFuture<?> each : puts) {
        await(each);
      }
      assertThat(server.revision.get()).isEqualTo(puts.size());
    }
  }

  @Test
  void nobodyListensIsUnavailableInTime() throws Exception {
    int port;
    try (ServerSocket reserved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = reserved.getLocalPort();
    }
    ClientConfig.Builder config = config().requestTimeout(Duration.ofMillis(300));
    for (String endpoint : List.of("127.0.0.1:" + port, "no-such-host.invalid:7400")) {
      try (RemoteKvClient client = RemoteKvClient.connect(config.endpoints(endpoint).build())) {
        assertThat(failure(client.put(KEY, KEY)))
            .isExactlyInstanceOf(KvException.Unavailable.class);
        assertThat(failure(client.status(Endpoint.parse(endpoint))))
            .isExactlyInstanceOf(KvException.Unavailable.class);
      }
    }
  }

  @Test
  void aHostNameIsLookedUp() throws Exception {
    int port = server.endpoint().port();
    try (RemoteKvClient client =
        RemoteKvClient.connect(config().endpoints("localhost:" + port).build())) {
      await(client.put(KEY, KEY));
    }
  }

  @Test
  void callbacksRunOnTheirOwnThreadAndMayCloseTheClient() throws Exception {
    RemoteKvClient client = RemoteKvClient.connect(config().build());
    CompletableFuture<String> thread = new CompletableFuture<>();
    CompletableFuture<Void> closed =
        client
            .put(KEY, KEY)
            .thenRun(
                () -> {
                  thread.complete(Thread.currentThread().getName());
                  client.close();
                });
    await(closed);
    // The callback may have run in this thread, if the put had ended before it was attached.
    assertThat(await(thread)).isIn("kvorum-client-callbacks", Thread.currentThread().getName());
    client.close();
    until(() -> threads().isEmpty());
  }

  @Test
  void aBlockedCallbackDoesNotHoldUpTheConnection() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      CompletableFuture<Void> blocked = client.put(KEY, KEY).thenRun(() -> awaitQuietly(release));
      CompletableFuture<GetResult> get = client.get(KEY);
      CompletableFuture<PutResult> put = client.put(KEY, KEY);
      until(() -> server.revision.get() == 2);
      release.countDown();
      await(blocked);
      await(get);
      await(put);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A hundred clients come and go, idle, used, and closed with calls under way. */
  @Test
  void closingGivesEverythingBack() throws Exception {
    openUseAndClose(0);
    until(() -> threads().isEmpty());
    long files = openFiles();
    long memory = directMemory();
    for (int i = 0; i < 100; i++) {
      openUseAndClose(i);
      assertThat(threads()).as("after close").isEmpty();
    }
    // The server's side of the connections closes a little later, in this same process.
    until(() -> openFiles() <= files);
    assertThat(directMemory() - memory).isLessThan(8 << 20);
  }

  private void openUseAndClose(int round) throws Exception {
    try (RemoteKvClient client = RemoteKvClient.connect(config().build())) {
      if (round % 3 == 0) {
        return;
      }
      await(client.put(KEY, KEY));
      if (round % 3 == 1) {
        var unused = client.put(KEY, KEY);
      }
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("kvorum-client") || name.startsWith("globalEventExecutor"))
        .filter(name -> !name.equals("kvorum-client-lookup"))
        .toList();
  }

  private static long openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void until(BooleanSupplier condition) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < 1_000 && !condition.getAsBoolean(); i++) {
      boolean unused = never.await(10, TimeUnit.MILLISECONDS);
    }
    assertThat(condition.getAsBoolean()).as("within 10 s").isTrue();
  }
}
