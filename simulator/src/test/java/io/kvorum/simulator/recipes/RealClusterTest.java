package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.junit.InProcessCluster;
import io.kvorum.simulator.junit.KvCluster;
import io.kvorum.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same recipes with threads, sockets and a remote client, and on an embedded node. */
@ExtendWith(QuietNodes.class)
class RealClusterTest {
  private static final Duration TTL = Duration.ofSeconds(20);
  private static final Bytes KEY = Bytes.utf8("k");
  private static final int THREADS = 4;
  private static final int ROUNDS = 10;

  /** Each adds by reading and putting, which only a lock makes right. */
  private static void add(KvClient kv) {
    Owner owner = Blocking.await(Owner.open(kv, TTL));
    DistributedLock lock = DistributedLock.of(owner, "lock");
    for (int i = 0; i < ROUNDS; i++) {
      try (Held held = Blocking.await(lock.acquire())) {
        assertThat(held.isHeld()).isTrue();
        String before = kv.get(KEY).join().value().map(Bytes::toUtf8).orElse("0");
        kv.put(KEY, Bytes.utf8(Integer.toString(Integer.parseInt(before) + 1))).join();
      }
    }
    Blocking.await(owner.end());
  }

  @Test
  @KvCluster(nodes = 1)
  void threadsTakeTurns(KvClient remote, InProcessCluster cluster) throws Exception {
    String leader = cluster.awaitLeader();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        KvClient kv = i % 2 == 0 ? remote : cluster.node(leader);
        workers.add(threads.submit(() -> add(kv)));
      }
      for (Future<?> worker : workers) {
        worker.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(remote.get(KEY).join().value())
        .contains(Bytes.utf8(Integer.toString(THREADS * ROUNDS)));
  }

  /** Whoever closes a client, or a node, is seldom the one who holds something by it. */
  @Test
  @KvCluster(nodes = 1)
  void whoHoldsIsToldThatTheClientOrTheNodeWasClosed(KvClient remote, InProcessCluster cluster) {
    String leader = cluster.awaitLeader();
    List<String> told = new CopyOnWriteArrayList<>();
    List<Held> held = new ArrayList<>();
    for (KvClient kv : List.of(remote, cluster.node(leader))) {
      Owner owner = Blocking.await(Owner.open(kv, TTL));
      held.add(Blocking.await(DistributedLock.of(owner, "lock " + held.size()).acquire()));
    }
    held.forEach(each -> each.onLost(why -> told.add(each.key() + " " + why)));
    remote.close();
    Await.until("one is told", Duration.ofSeconds(10), () -> told.size() == 1);
    assertThat(held.get(0).isHeld()).isFalse();
    assertThat(held.get(1).isHeld()).isTrue();
    cluster.stop(leader);
    Await.until("the other is told", Duration.ofSeconds(10), () -> told.size() == 2);
    assertThat(held.get(1).isHeld()).isFalse();
    assertThat(told).allMatch(why -> why.endsWith("the client was closed"));
  }

  /** Somebody else deletes the key of a lock that is held. */
  @Test
  @KvCluster(nodes = 1)
  void whoseKeyIsDeletedIsTold(KvClient kv, InProcessCluster cluster) {
    cluster.awaitLeader();
    Owner owner = Blocking.await(Owner.open(kv, TTL));
    Held held = Blocking.await(DistributedLock.of(owner, "lock").acquire());
    CompletableFuture<String> told = new CompletableFuture<>();
    held.onLost(told::complete);
    kv.delete(held.key()).join();
    assertThat(told.orTimeout(10, TimeUnit.SECONDS).join()).contains("deleted");
    assertThat(held.isHeld()).isFalse();
    assertThat(owner.isAlive()).isTrue();
  }

  /** F132: a callback that waits for the cluster holds up neither itself nor others. */
  @Test
  @KvCluster(nodes = 1)
  void callbacksMayBlock(KvClient kv, InProcessCluster cluster) {
    cluster.awaitLeader();
    // Heard of with the next renewal, after a third of it.
    Owner owner = Blocking.await(Owner.open(kv, Duration.ofSeconds(6)));
    DistributedLock lock = DistributedLock.of(owner, "lock");
    CompletableFuture<Void> written =
        lock.acquire().thenAccept(held -> kv.blocking().put(KEY, KEY));
    Await.until("the callback's put", Duration.ofSeconds(30), written::isDone);
    CompletableFuture<Optional<Held>> refused =
        DistributedLock.of(Blocking.await(Owner.open(kv, TTL)), "lock")
            .tryAcquire(Duration.ofMillis(50));
    assertThat(Blocking.await(refused)).isEmpty();
    owner.onLost(why -> kv.blocking().put(KEY, Bytes.utf8("lost")));
    kv.leases().revoke(owner.id()).join();
    Await.until(
        "what the callback has put",
        Duration.ofSeconds(30),
        () -> kv.get(KEY).join().value().equals(Optional.of(Bytes.utf8("lost"))));
  }
}
