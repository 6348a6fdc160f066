package io.kvorum.server;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.disk.DiskFullException;
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
 * FAULTS F041, F045: a real file system of 256 MiB fills up under load, then entirely, and gets
 * more space: nothing that was acknowledged is lost, the process lives, and the node goes on by
 * itself; or, if its store was writing just when nothing was left, stops itself and starts again.
 */
class FullDiskTest {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Bytes VALUE = Bytes.copyOf(new byte[4 << 10]);

  @TempDir Path temporary;

  private Path directory = Path.of("");

  private final ConcurrentSkipListSet<Integer> acknowledged = new ConcurrentSkipListSet<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger unanswered = new AtomicInteger();
  private volatile boolean writes = true;

  @BeforeEach
  void mount() throws IOException {
    directory = Files.createDirectory(temporary.resolve("mounted"));
    assumeTrue(
        system("mount", "-t", "tmpfs", "-o", "size=256m", "kvorum-test", directory.toString()),
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
        // The store's memory goes to the disk in one piece of up to 64 MiB, between two looks.
        .space(SpaceConfig.withMarks(2 << 20, 144 << 20))
        .build();
  }

  private static Bytes key(int number) {
    return Bytes.utf8(String.format("k%05d", number));
  }

  /** Puts one key after the other, and waits for no space. */
  private void write(BlockingKvClient kv) {
    for (int i = acknowledged.isEmpty() ? 0 : acknowledged.last() + 1; writes; i++) {
      try {
        kv.put(key(i), VALUE);
        acknowledged.add(i);
      } catch (KvException.NoSpace none) {
        refused.incrementAndGet();
      } catch (KvException.OutcomeUnknown | KvException.Unavailable full) {
        unanswered.incrementAndGet();
      } catch (RuntimeException unexpected) {
        failure.set(unexpected);
        return;
      }
    }
  }

  private Thread writer(KvNode node) {
    writes = true;
    Thread writer = new Thread(() -> write(node.blocking()));
    writer.start();
    return writer;
  }

  /** What its store claims for a file and then does not need is taken as well when it is back. */
  private boolean isCriticalWhenFilled(KvNode node) {
    fill(directory.resolve("others"));
    return isCritical(node) || node.failure().isDone();
  }

  /** Another program takes what is left, to the last byte. */
  private static void fill(Path file) {
    try (OutputStream out = Files.newOutputStream(file, CREATE, APPEND)) {
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

  /** Of one that has stopped, no. */
  private static boolean isCritical(KvNode node) {
    return node.status()
        .handle((status, failed) -> failed == null && status.disk().state().equals("critical"))
        .join();
  }

  @ParameterizedTest
  @EnumSource(WriteMode.class)
  void nothingIsLostOnAFileSystemThatFillsUpAndTheNodeGoesOn(WriteMode mode) throws Exception {
    boolean stopped;
    try (KvNode node = KvNode.start(config(mode))) {
      Thread writer = writer(node);
      try {
        refusesWhatNeedsSpace(node);
        Await.until("it is critical", BOUND, () -> isCriticalWhenFilled(node));
        if (!node.failure().isDone()) {
          frees(node);
        }
        assertThat(system("mount", "-o", "remount,size=700m", directory.toString())).isTrue();
        int before = acknowledged.size();
        Await.until(
            "it takes puts again",
            BOUND,
            () -> acknowledged.size() > before + 5 || node.failure().isDone());
        stopped = node.failure().isDone();
        if (stopped) {
          // Its store was writing just when there was nothing left.
          assertThat(node.failure().join()).isInstanceOf(DiskFullException.class);
        } else {
          Await.until("it has a reserve", BOUND, () -> disk(node).reserve());
        }
      } finally {
        writes = false;
        writer.join();
      }
      assertThat(failure.get()).isNull();
      if (!stopped) {
        check(node.blocking());
      }
    }
    try (KvNode again = KvNode.start(config(mode))) {
      check(again.blocking());
      again.blocking().put(key(0), VALUE);
    }
  }

  private void refusesWhatNeedsSpace(KvNode node) {
    BlockingKvClient kv = node.blocking();
    Await.until("it refuses puts", BOUND, () -> refused.get() > 0 || failure.get() != null);
    assertThat(failure.get()).isNull();
    NodeStatus.Disk disk = disk(node);
    // What was taken before may still be on its way from memory to the tables.
    assertThat(disk.state()).isIn("low", "critical");
    assertThat(disk.reserve()).isEqualTo(disk.state().equals("low"));
    assertThatThrownBy(() -> kv.put(key(0), VALUE))
        .isInstanceOf(KvException.NoSpace.class)
        .hasMessageContainingAll("n1 has", "mark", "nothing was changed", "deletes");
    kv.delete(key(0));
    acknowledged.remove(0);
    kv.txn(Txn.of(Op.delete(key(1)), Op.get(key(2))));
    acknowledged.remove(1);
  }

  /** With the last byte taken; unless its store meets that first, which stops it. */
  private void frees(KvNode node) {
    acknowledged.remove(2);
    try {
      assertThat(Files.exists(directory.resolve("n1/reserve"))).isFalse();
      assertThat(node.blocking().get(key(2)).value()).contains(VALUE);
      node.blocking().delete(key(2));
    } catch (KvException stops) {
      Await.until("it has stopped itself", BOUND, () -> node.failure().isDone());
    }
  }

  private void check(BlockingKvClient kv) {
    for (int number : acknowledged) {
      assertThat(kv.get(key(number)).value()).as("k" + number).contains(VALUE);
    }
    assertThat(kv.get(key(0)).value()).isEmpty();
  }
}
