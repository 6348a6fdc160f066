package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients with many watches each: all of them hear everything, once and in order. */
class WatchCrowdTest {
  private static final int CLIENTS = 200;
  private static final int KEYS = 100;
  private static final int ROUNDS = 2;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final AtomicLong heard = new AtomicLong();

  /** A watch of one key, and how far it is. */
  private final class Listening {
    private final Watch watch;
    private volatile long versions;
    private volatile boolean isWrong;

    Listening(KvClient client, Bytes key) {
      watch = client.watch(KeyRange.single(key), WatchOptions.DEFAULT, this::events);
    }

    private void events(WatchEvents events) {
      long next = versions;
      boolean wrong = isWrong;
      for (var event : events.events()) {
        next++;
        wrong = wrong || event.keyValue().version() != next;
      }
      versions = next;
      isWrong = wrong;
      heard.addAndGet(events.events().size());
    }
  }

  @Test
  void twoHundredClientsWithAHundredWatchesEachHearAllEvents() {
    ExecutorService callbacks = Executors.newFixedThreadPool(4);
    List<RemoteKvClient> clients = new ArrayList<>();
    try (TestCluster cluster = TestCluster.start(directory, 1)) {
      List<Listening> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        RemoteKvClient client = client(cluster.member(0), callbacks);
        clients.add(client);
        for (int key = 0; key < KEYS; key++) {
          all.add(new Listening(client, key(key)));
        }
      }
      all.forEach(one -> one.watch.started().join());

      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (int i = 0; i < KEYS * ROUNDS; i++) {
        puts.add(cluster.node(0).put(key(i % KEYS), Bytes.utf8("value " + i)));
      }
      puts.forEach(CompletableFuture::join);
      long due = (long) CLIENTS * KEYS * ROUNDS;
      Await.until("all events", LIMIT, () -> heard.get() >= due, () -> heard + " of " + due);
      assertThat(all).allMatch(one -> one.versions == ROUNDS && !one.isWrong);
    } finally {
      clients.forEach(RemoteKvClient::close);
      callbacks.shutdown();
    }
  }

  private static Bytes key(int number) {
    return Bytes.utf8("key " + number);
  }

  private static RemoteKvClient client(Member member, ExecutorService callbacks) {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(List.of(new Endpoint(member.host(), member.clientPort())))
            .callbackExecutor(callbacks)
            .build());
  }
}
