package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.disk.RealDisk;
import io.kvorum.log.LogStore;
import io.kvorum.node.DataDirectory;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Measures what a start costs after {@code kill -9}, with a million keys of 256 bytes. Two kinds of
 * processes take turns on one directory, each killed when it has said what it has measured: one
 * starts a node and is served, one does the parts of a start one by one. Not a test.
 */
final class StartTime {
  private static final int BATCH = 1_024;

  private StartTime() {}

  /** How many keys there are, by default a million; how many rounds, by default 5. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 3) {
      child(arguments[0], Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      return;
    }
    int keys = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
    Path directory = Files.createTempDirectory("kvorum-start-time").resolve("n1");
    Map<String, List<Double>> seen = new LinkedHashMap<>();
    run("fill", directory, keys, new LinkedHashMap<>());
    for (int round = 0; round < rounds; round++) {
      // What is there to replay: as much of the log as is not in the tables at a kill.
      run("serve", directory, keys / 10, seen);
      run("parts", directory, 0, seen);
    }
    seen.forEach((what, numbers) -> Spread.of(numbers).print(what, unit(what)));
  }

  private static String unit(String what) {
    return what.endsWith("entries") ? "" : what.endsWith("MiB") ? "MiB" : "ms";
  }

  private static void run(String mode, Path directory, int puts, Map<String, List<Double>> seen) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx1g",
            "-cp",
            System.getProperty("java.class.path"),
            StartTime.class.getName(),
            mode,
            directory.toString(),
            Integer.toString(puts));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        readUntilItMayBeKilled(lines, seen);
      } finally {
        process.destroyForcibly().waitFor();
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot run " + mode, failed);
    } catch (InterruptedException stopped) {
      throw new IllegalStateException("interrupted", stopped);
    }
  }

  private static void readUntilItMayBeKilled(BufferedReader lines, Map<String, List<Double>> seen)
      throws IOException {
    String line = lines.readLine();
    while (line != null && !line.equals("kill me")) {
      String[] parts = line.split("=", 2);
      if (parts.length == 2) {
        seen.computeIfAbsent(parts[0], none -> new ArrayList<>()).add(Double.parseDouble(parts[1]));
      }
      line = lines.readLine();
    }
    if (line == null) {
      throw new IllegalStateException("the process ended by itself");
    }
  }

  // ---- in the process that is killed ----

  private static void child(String mode, Path directory, int puts) throws IOException {
    if (mode.equals("parts")) {
      parts(directory);
    } else {
      serve(mode, directory, puts);
    }
    System.out.println("kill me");
    while (System.in.read() >= 0) {
      // Whatever comes, only the end matters.
    }
  }

  private static ServerConfig config(Path directory) {
    return ServerConfig.embedded(directory).build();
  }

  private static void serve(String mode, Path directory, int puts) {
    final long start = System.nanoTime();
    KvNode node = KvNode.start(config(directory));
    print("whole start: KvNode.start", start);
    node.blocking().get(Bytes.utf8("key-00000000"));
    print("whole start: first read served", start);
    node.blocking().put(Bytes.utf8("key-00000000"), Bytes.utf8("x"));
    print("whole start: first put served", start);
    SplittableRandom random = new SplittableRandom(7);
    byte[] value = new byte[256];
    List<CompletableFuture<?>> window = new ArrayList<>();
    for (int i = 0; i < puts; i++) {
      random.nextBytes(value);
      int key = mode.equals("fill") ? i : random.nextInt(puts * 10);
      window.add(node.put(Bytes.utf8("key-%08d".formatted(key)), Bytes.copyOf(value)));
      if (window.size() == 256) {
        window.forEach(CompletableFuture::join);
        window.clear();
      }
    }
    window.forEach(CompletableFuture::join);
  }

  /** As a node does it, in the same order. */
  private static void parts(Path directory) {
    ServerConfig config = config(directory);
    SplittableRandom random = new SplittableRandom(1);
    long start = System.nanoTime();
    RealDisk disk = RealDisk.at(directory, config.writeMode());
    DataDirectory opened =
        DataDirectory.open(disk, config.clusterId(), config.nodeId(), random.split());
    print("part: directory", start);
    start = System.nanoTime();
    RocksHome home =
        RocksHome.in(
            opened.stateDirectory(),
            RocksSettings.DEFAULT.withBlockCacheBytes(config.blockCacheBytes()));
    KvStateMachine machine =
        DurableState.open(
                opened, home, StoreOptions.DEFAULT, ServingNode.logConfig(config), random.split())
            .store();
    print("part: RocksDB and state", start);
    start = System.nanoTime();
    opened.origin(config.initial());
    EntryId restored = machine.restored();
    LogStore log =
        opened
            .openLog(
                ServingNode.logConfig(config),
                Runnable::run,
                random.split(),
                restored,
                machine.membership())
            .log();
    print("part: log, every record read", start);
    System.out.println("log on disk, MiB=" + log.sizeBytes() / (double) (1 << 20));
    long from = restored.index() + 1;
    System.out.println("replayed entries=" + (log.last().index() + 1 - from));
    start = System.nanoTime();
    while (from <= log.last().index()) {
      long to = Math.min(from + BATCH, log.last().index() + 1);
      List<Entry> batch = log.entries(from, to, Long.MAX_VALUE);
      from += machine.apply(batch).size();
    }
    print("part: replay", start);
    // It is killed: nothing of this is flushed.
  }

  private static void print(String what, long since) {
    System.out.println(what + "=" + (System.nanoTime() - since) / 1e6);
  }
}
