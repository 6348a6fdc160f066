package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Watch;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.cache.CachedView;
import io.kvorum.client.cache.PointCache;
import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients, and what they open, give everything back, on both sides (FAULTS F122, F158). */
class ClientLeakTest {
  private static final int CLIENTS = 50;
  private static final int WATCHES = 1_000;
  private static final int LOCKS = 50;
  private static final int CACHES = 50;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Bytes KEY = Bytes.utf8("key");

  @TempDir Path directory;

  @Test
  void whatIsOpenedAndClosedLeavesNothingBehind() {
    try (TestCluster cluster = TestCluster.start(directory, 1)) {
      KvNode node = cluster.node(0);
      // What is loaded once, and what the node keeps for itself: the session of its own client.
      useClient(cluster.member(0));
      useInside(node);
      Await.until("only what stays", LIMIT, () -> isQuiet(node));
      long files = openFiles();

      for (int i = 0; i < CLIENTS; i++) {
        useClient(cluster.member(0));
      }
      for (int i = 0; i < WATCHES; i++) {
        node.watch(KeyRange.single(Bytes.utf8("key " + i)), events -> {}).close();
      }
      for (int i = 0; i < LOCKS; i++) {
        useLock(node);
      }
      for (int i = 0; i < CACHES; i++) {
        useCaches(node);
      }

      Await.until(
          "no lease, no watch, no thread",
          LIMIT,
          () -> isQuiet(node) && openFiles() <= files,
          () ->
              node.leasesKnown().join()
                  + " leases, "
                  + node.watchStats()
                  + ", "
                  + threads()
                  + ", "
                  + openFiles()
                  + " files of "
                  + files);
      assertThat(node.leases().list().join().ids()).isEmpty();
    }
  }

  /** All but the session of the node's own client. */
  private static boolean isQuiet(KvNode node) {
    return node.leasesKnown().join() <= 1
        && node.watchStats().watches() == 0
        && node.watchStats().connections() == 0
        && hasOnlyItsThreads();
  }

  private static void useClient(Member member) {
    ClientConfig config =
        ClientConfig.builder()
            .endpoints(List.of(new Endpoint(member.host(), member.clientPort())))
            .sessionTtl(Duration.ofSeconds(2))
            .build();
    try (RemoteKvClient client = RemoteKvClient.connect(config)) {
      CompletableFuture<Long> heard = new CompletableFuture<>();
      Watch watch = client.watch(KeyRange.single(KEY), events -> heard.complete(events.revision()));
      long unused = watch.started().join();
      client.blocking().put(KEY, KEY);
      assertThat(heard.join()).isPositive();
    }
  }

  private static void useInside(KvClient client) {
    client.watch(KeyRange.single(KEY), events -> {}).close();
    useLock(client);
    useCaches(client);
  }

  private static void useLock(KvClient client) {
    try (Owner owner = Blocking.await(Owner.open(client, Duration.ofSeconds(10)));
        Held held = Blocking.await(DistributedLock.of(owner, "lock").acquire())) {
      assertThat(held.isHeld()).isTrue();
    }
  }

  private static void useCaches(KvClient client) {
    try (CachedView view = CachedView.open(client, KeyRange.all()).ready().join();
        PointCache cache = PointCache.open(client, KeyRange.all())) {
      assertThat(cache.get(KEY).join().value()).isPresent();
      assertThat(view.get(KEY)).isPresent();
    }
  }

  /** The node's own client has some, while they are not idle for long; no loop. */
  private static boolean hasOnlyItsThreads() {
    List<String> all = threads();
    return all.stream().filter(name -> name.startsWith("kvorum-client-watches")).count() <= 16
        && all.stream().filter(name -> name.equals("kvorum-client-callbacks")).count() <= 1
        && all.stream().noneMatch(name -> name.equals("kvorum-client-loop"));
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("kvorum-client"))
        .toList();
  }

  private static long openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot count open files", failed);
    }
  }
}
