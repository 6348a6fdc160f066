package io.kvorum.client;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Three fake nodes n1, n2, n3 and a client of them, all on virtual time. */
final class FakeCluster {
  static final Bytes KEY = Bytes.utf8("k");

  final VirtualLoop loop = new VirtualLoop();
  final FakeNetwork network = new FakeNetwork(loop);
  final FakeStore store = new FakeStore();
  final List<FakeNode> nodes = new ArrayList<>();
  final FakeNode n1 = node("n1", 7401);
  final FakeNode n2 = node("n2", 7402);
  final FakeNode n3 = node("n3", 7403);
  private RemoteKvClient client;

  FakeCluster() {
    lead(n1);
  }

  private FakeNode node(String nodeId, int port) {
    String endpoint = "127.0.0.1:" + port;
    FakeNode node = new FakeNode(nodeId, endpoint, store);
    nodes.add(node);
    network.add(endpoint, node);
    return node;
  }

  /** All nodes agree at once on who leads; null: nobody. */
  void lead(FakeNode leader) {
    nodes.forEach(node -> node.leader = leader);
  }

  /** Endpoints of all three, jitter from seed 1, callbacks on the loop itself, no session. */
  ClientConfig.Builder config() {
    return ClientConfig.builder()
        .endpoints("127.0.0.1:7401,127.0.0.1:7402,127.0.0.1:7403")
        .random(new Random(1))
        .sessionTtl(Duration.ZERO)
        .callbackExecutor(Runnable::run);
  }

  RemoteKvClient client() {
    return client == null ? client(config()) : client;
  }

  RemoteKvClient client(ClientConfig.Builder config) {
    client = RemoteKvClient.connect(config.build(), loop, network);
    return client;
  }

  CompletableFuture<?> put(String value) {
    return client().put(KEY, Bytes.utf8(value));
  }

  int executions(String value) {
    return store.executions(Bytes.utf8(value));
  }

  /** Runs until the future has ended; its result, or its exception. */
  <T> T await(CompletableFuture<T> future) {
    if (!loop.runUntil(future::isDone, Duration.ofSeconds(30))) {
      throw new AssertionError("still not ended after 30 s");
    }
    return future.join();
  }

  KvException failure(CompletableFuture<?> future) {
    try {
      Object result = await(future);
      throw new AssertionError("expected a failure but got " + result);
    } catch (CompletionException failed) {
      return (KvException) failed.getCause();
    }
  }

  void runMillis(long millis) {
    loop.runFor(Duration.ofMillis(millis));
  }

  long attempts() {
    return nodes.stream().mapToLong(node -> node.attempts.size()).sum();
  }
}
