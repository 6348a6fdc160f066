package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.server.watch.WatchStats;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node gives everything back that it took (FAULTS F158, F161). */
class NodeLeakTest {
  private static final int NODES = 100;
  private static final int CLIENTS = 50;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  void aHundredNodesOneAfterAnotherLeaveNoThreadNoFileAndNoDirectMemory() {
    // What the libraries load once for the whole process is loaded here.
    startUseAndClose(0);
    startUseAndClose(1);
    long files = openFiles();
    long direct = directBytes();
    for (int i = 2; i < NODES + 2; i++) {
      startUseAndClose(i);
    }
    Await.until("no thread of a node", LIMIT, () -> nodeThreads().isEmpty());
    // Maps of closed segments go when the collector finds them.
    Await.until(
        "no more than " + files + " open files and " + direct + " bytes of direct memory",
        LIMIT,
        () -> {
          System.gc();
          return openFiles() <= files && directBytes() <= direct + (1 << 20) && mappedCount() == 0;
        },
        () -> openFiles() + " files, " + directBytes() + " bytes, " + mappedCount() + " maps");
    assertThat(nodeThreads()).isEmpty();
  }

  /** F161: what a server keeps for a client goes with the client. */
  @Test
  void clientsThatComeAndGoLeaveNothing() {
    List<Member> members = TestCluster.freeMembers(1);
    ServerConfig config =
        ServerConfig.embedded(directory.resolve("served"))
            .members(members)
            .clientPortOpen(true)
            .segmentBytes(8 << 20)
            .build();
    try (KvNode node = KvNode.start(config)) {
      for (int i = 0; i < 3; i++) {
        comeAndGo(members.get(0), i);
      }
      long files = openFiles();
      long direct = directBytes();
      int threads = Thread.activeCount();
      for (int i = 3; i < CLIENTS + 3; i++) {
        comeAndGo(members.get(0), i);
      }
      Await.until(
          "as many files and threads as before",
          LIMIT,
          () -> openFiles() <= files && Thread.activeCount() <= threads,
          () -> openFiles() + " of " + files + " files, " + Thread.activeCount() + " threads");
      assertThat(directBytes()).isLessThan(direct + (4 << 20));
      Await.until("no watch", LIMIT, () -> node.watchStats().equals(new WatchStats(0, 0, 0, 0)));
    }
  }

  private static void comeAndGo(Member member, int number) {
    try (RemoteKvClient client = Group.client(member)) {
      client.blocking().put(Bytes.utf8("key"), Bytes.utf8("value " + number));
      Watch watch = client.watch(KeyRange.all(), WatchOptions.DEFAULT, events -> {});
      watch.started().join();
    }
  }

  private void startUseAndClose(int number) {
    ServerConfig config =
        ServerConfig.embedded(directory.resolve("node-" + number)).segmentBytes(8 << 20).build();
    try (KvNode node = KvNode.start(config)) {
      node.blocking().put(Bytes.utf8("key"), Bytes.utf8("value"));
      assertThat(node.blocking().get(Bytes.utf8("key")).value()).isPresent();
    }
  }

  private static List<String> nodeThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("kvorum-"))
        .toList();
  }

  private static long openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot count open files", failed);
    }
  }

  private static long directBytes() {
    return pool("direct").getMemoryUsed();
  }

  private static long mappedCount() {
    return pool("mapped").getCount();
  }

  private static BufferPoolMXBean pool(String name) {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
