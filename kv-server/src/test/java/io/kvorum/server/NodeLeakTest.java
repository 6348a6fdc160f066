package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
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
