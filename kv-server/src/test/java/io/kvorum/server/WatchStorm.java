package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks whether many watches of one client get every event, once and in order, of puts that come as
 * fast as they can, and how long after the last one. Not a test; it prints what it finds, and ends
 * with an error if an event is missing, doubled or out of order.
 */
final class WatchStorm {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final int UNDER_WAY = 1024;

  private final int keys;
  private final List<Heard> watches = new ArrayList<>();
  private final AtomicLong heard = new AtomicLong();

  private WatchStorm(int keys) {
    this.keys = keys;
  }

  /** What one watch has to hear: the versions of its key, from the first one on. */
  private final class Heard {
    private final Bytes key;
    private long version;
    private String wrong = "";

    Heard(Bytes key) {
      this.key = key;
    }

    /** By one thread at a time. */
    void events(WatchEvents events) {
      for (WatchEvent event : events.events()) {
        version++;
        boolean isNext =
            event.keyValue().key().equals(key) && event.keyValue().version() == version;
        if (!isNext && wrong.isEmpty()) {
          wrong = "got " + event + " in the place of version " + version + " of " + key;
        }
      }
      heard.addAndGet(events.events().size());
    }
  }

  /** How many nodes, watches, keys and puts; 3, 20,000, 20,000 and 200,000 if nothing is said. */
  public static void main(String[] arguments) throws IOException {
    int nodes = number(arguments, 0, 3);
    int watches = number(arguments, 1, 20_000);
    int keys = number(arguments, 2, 20_000);
    int puts = number(arguments, 3, 200_000);
    Path directory = Files.createTempDirectory("kvorum-watch-storm");
    try (TestCluster cluster = TestCluster.start(directory, nodes);
        RemoteKvClient watching = client(cluster);
        RemoteKvClient writing = client(cluster)) {
      new WatchStorm(keys).run(watching, watches, writing, puts);
    }
  }

  private static int number(String[] arguments, int index, int other) {
    return index < arguments.length ? Integer.parseInt(arguments[index]) : other;
  }

  private static RemoteKvClient client(TestCluster cluster) {
    Endpoint endpoint = new Endpoint("127.0.0.1", cluster.member(0).clientPort());
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(List.of(endpoint))
            .requestTimeout(Duration.ofMinutes(1))
            .build());
  }

  private void run(RemoteKvClient watching, int count, RemoteKvClient writing, int puts) {
    List<Watch> open = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Heard one = new Heard(key(i));
      watches.add(one);
      open.add(
          watching.watch(
              KeyRange.single(one.key), WatchOptions.DEFAULT, events -> one.events(events)));
    }
    Await.until(
        "all watches to begin",
        PATIENCE,
        () -> open.stream().allMatch(watch -> watch.started().isDone()),
        () -> open.stream().filter(watch -> !watch.started().isDone()).count() + " have not");
    long start = System.nanoTime();
    put(writing, puts);
    long end = System.nanoTime();
    long atEnd = heard.get();
    long expected = 0;
    for (int i = 0; i < count; i++) {
      expected += due(i, puts);
    }
    long all = expected;
    Await.until("all events", PATIENCE, () -> heard.get() >= all, () -> heard + " of " + all);
    System.out.printf(
        "%,d puts in %,d ms; %,d of %,d events had arrived then, the rest %,d ms later%n",
        puts, millis(end - start), atEnd, expected, millis(System.nanoTime() - end));
    report(puts);
  }

  private static long millis(long nanos) {
    return nanos / 1_000_000;
  }

  private Bytes key(int number) {
    return Bytes.utf8("key " + number % keys);
  }

  private long due(int watch, int puts) {
    int key = watch % keys;
    return (long) puts / keys + (key < puts % keys ? 1 : 0);
  }

  private void put(RemoteKvClient client, int puts) {
    List<CompletableFuture<?>> window = new ArrayList<>();
    for (int i = 0; i < puts; i++) {
      window.add(client.put(key(i), Bytes.utf8("value " + i)));
      if (window.size() == UNDER_WAY) {
        window.forEach(CompletableFuture::join);
        window.clear();
      }
    }
    window.forEach(CompletableFuture::join);
  }

  private void report(int puts) {
    long wrong = 0;
    for (int i = 0; i < watches.size(); i++) {
      Heard one = watches.get(i);
      if (!one.wrong.isEmpty() || one.version != due(i, puts)) {
        wrong++;
        System.out.println(one.wrong + "; " + one.version + " of " + due(i, puts));
      }
    }
    if (wrong > 0) {
      throw new AssertionError(wrong + " watches have missed, doubled or mixed up events");
    }
    System.out.println("every event came once and in order");
  }
}
