package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.disk.WriteMode;
import io.kvorum.node.SpaceConfig;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * FAULTS F041, F045: a real file system of 96 MiB fills up under load, then entirely, and gets more
 * space: nothing that was acknowledged is lost, the process lives, and the node goes on by itself.
 */
class FullDiskTest {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Bytes VALUE = Bytes.copyOf(new byte[64 << 10]);

  @TempDir Path temporary;

  private Path directory = Path.of("");

  private final ConcurrentSkipListSet<Integer> acknowledged = new ConcurrentSkipListSet<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean writes = true;

  @BeforeEach
  void mount() throws IOException {
    directory = Files.createDirectory(temporary.resolve("mounted"));
    assumeTrue(
        system("mount", "-t", "tmpfs", "-o", "size=96m", "kvorum-test", directory.toString()),
        "not tested: this user may not mount a file system of its own");
  }

  @AfterEach
  void unmount() {
    // Lazily: maps of the log are there until they are collected.
    system("umount", "-l", directory.toString());
  }

  private static boolean system(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException noSuchCommand) {
      return false;
    } catch (InterruptedException interrupted) {
      throw new AssertionError("interrupted while a command ran", interrupted);
    }
  }

  private ServerConfig config(WriteMode mode) {
    return ServerConfig.embedded(directory.resolve("n1"))
        .segmentBytes(8 << 20)
        .blockCacheBytes(8 << 20)
        .writeMode(mode)
        .space(SpaceConfig.withMarks(2 << 20, 24 << 20))
        .build();
  }

  private static Bytes key(int number) {
    return Bytes.utf8(String.format("k%05d", number));
  }

  /** Puts one key after the other, and waits for no space. */
  private void write(BlockingKvClient kv) {
    for (int i = 0; writes; i++) {
      try {
        kv.put(key(i), VALUE);
        acknowledged.add(i);
      } catch (KvException.NoSpace none) {
        refused.incrementAndGet();
      } catch (RuntimeException unexpected) {
        failure.set(unexpected);
        return;
      }
    }
  }

  /** Another program takes what is left, to the last byte. */
  private static void fill(Path file) {
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] zeros = new byte[16 << 10];
      while (true) {
        out.write(zeros);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  private static NodeStatus.Disk disk(KvNode node) {
    return node.status().join().disk();
  }

  @ParameterizedTest
  @EnumSource(WriteMode.class)
  void nothingIsLostOnAFileSystemThatFillsUpAndTheNodeGoesOn(WriteMode mode) throws Exception {
    try (KvNode node = KvNode.start(config(mode))) {
      BlockingKvClient kv = node.blocking();
      Thread writer = new Thread(() -> write(kv));
      writer.start();
      Await.until("it refuses puts", BOUND, () -> refused.get() > 0 || failure.get() != null);
      assertThat(failure.get()).isNull();
      assertThat(disk(node).state()).isEqualTo("low");
      assertThat(disk(node).reserve()).isTrue();
      assertThatThrownBy(() -> kv.put(key(0), VALUE))
          .isInstanceOf(KvException.NoSpace.class)
          .hasMessageContainingAll("n1 has", "mark", "nothing was changed", "deletes");
      kv.delete(key(0));
      acknowledged.remove(0);
      kv.txn(Txn.of(Op.delete(key(1)), Op.get(key(2))));
      acknowledged.remove(1);

      fill(directory.resolve("others"));
      Await.until("it is critical", BOUND, () -> disk(node).state().equals("critical"));
      assertThat(Files.exists(directory.resolve("n1/reserve"))).isFalse();
      assertThat(kv.get(key(2)).value()).contains(VALUE);
      kv.delete(key(2));
      acknowledged.remove(2);

      int before = acknowledged.size();
      assertThat(system("mount", "-o", "remount,size=400m", directory.toString())).isTrue();
      Await.until("it takes puts again", BOUND, () -> acknowledged.size() > before + 5);
      Await.until("it has a reserve", BOUND, () -> disk(node).reserve());
      writes = false;
      writer.join();
      assertThat(failure.get()).isNull();
      check(kv);
    }
    try (KvNode again = KvNode.start(config(mode))) {
      check(again.blocking());
    }
  }

  private void check(BlockingKvClient kv) {
    for (int number : acknowledged) {
      assertThat(kv.get(key(number)).value()).as("k" + number).contains(VALUE);
    }
    assertThat(kv.get(key(0)).value()).isEmpty();
  }
}
