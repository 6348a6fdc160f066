package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvorum.api.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the kernel saw: each batch of acknowledged puts was synced to the log's file, and a batch of
 * many puts only once. Counted by strace, beside the number of batches that the node counts.
 */
class SyncCountTest {
  private static final int ONE_BY_ONE = 200;
  private static final int AT_ONCE = 2_000;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path directory;

  /** The process under strace: a node that puts one by one, then many at once. */
  static final class Puts {
    private Puts() {}

    public static void main(String[] args) {
      ServerConfig config = ServerConfig.embedded(Path.of(args[0])).segmentBytes(8 << 20).build();
      long started = System.nanoTime();
      try (KvNode node = KvNode.start(config)) {
        for (int i = 0; i < ONE_BY_ONE; i++) {
          node.blocking().put(Bytes.utf8("key-" + i), Bytes.utf8("value"));
        }
        long oneByOne = node.syncedBatches();
        List<CompletableFuture<?>> puts = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
          puts.add(node.put(Bytes.utf8("key-" + i), Bytes.utf8("value")));
        }
        CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new)).join();
        System.out.println("batches=" + oneByOne + "+" + (node.syncedBatches() - oneByOne));
      }
      System.out.println("seconds=" + (System.nanoTime() - started) / 1_000_000_000);
    }
  }

  @Test
  void everyBatchIsSyncedOnce() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "strace is not installed");
    Path trace = directory.resolve("trace.txt");
    Path output = directory.resolve("output.txt");
    Process process =
        new ProcessBuilder(
                "strace",
                "-f",
                "-y",
                "-e",
                "trace=fdatasync,fsync",
                "-o",
                trace.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Puts.class.getName(),
                directory.resolve("data").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(Files.readString(output)).isTrue();

    Matcher batches = Pattern.compile("batches=(\\d+)\\+(\\d+)").matcher(Files.readString(output));
    assertThat(batches.find()).as(Files.readString(output)).isTrue();
    long oneByOne = Long.parseLong(batches.group(1));
    long atOnce = Long.parseLong(batches.group(2));
    // A call that another thread's interrupts in the trace has a second, "resumed" line.
    long syncs = syncs(trace, "[0-9a-f]+\\.log");
    System.out.println(
        "puts "
            + ONE_BY_ONE
            + "+"
            + AT_ONCE
            + ", batches "
            + oneByOne
            + "+"
            + atOnce
            + ", syncs "
            + syncs);
    assertThat(oneByOne).as("each put alone is a batch").isGreaterThanOrEqualTo(ONE_BY_ONE);
    assertThat(atOnce).as("puts at once share batches").isLessThan(AT_ONCE / 2);
    assertThat(syncs).as("syncs for batches").isGreaterThanOrEqualTo(oneByOne + atOnce);
    // The start syncs the file it finds or makes, the end marks it once more.
    assertThat(syncs).isLessThanOrEqualTo(oneByOne + atOnce + 10);

    // What is noted of it outside goes by time, not by puts: made, set in both slots, closed.
    Matcher seconds = Pattern.compile("seconds=(\\d+)").matcher(Files.readString(output));
    assertThat(seconds.find()).as(Files.readString(output)).isTrue();
    assertThat(syncs(trace, "durable")).isBetween(3L, Long.parseLong(seconds.group(1)) + 5);
  }

  private static long syncs(Path trace, String file) throws IOException {
    String wanted = ".* f(data)?sync\\(\\d+<[^>]*/log/" + file + ">.*";
    return Files.readAllLines(trace).stream().filter(line -> line.matches(wanted)).count();
  }
}
