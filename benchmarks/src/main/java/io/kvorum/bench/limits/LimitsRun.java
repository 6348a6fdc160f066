package io.kvorum.bench.limits;

import io.kvorum.bench.load.Measurement;
import io.kvorum.bench.system.DataDirectory;
import io.kvorum.node.Clock;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Measures all limits, one after the other. Whatever it starts has ended when it returns. */
public final class LimitsRun {
  private static final int SECONDS_MAX = 3_600;
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FILE_BYTES = 64L << 20;
  private static final List<Integer> SYNCED_RECORDS = List.of(1, 16, 256, 1024);
  private static final List<Integer> MESSAGES = List.of(1, 128);
  private static final List<Integer> CHAINED_RECORDS = List.of(1, 128, ChainLeader.RECORDS_MAX);
  private static final List<Integer> PUTS = List.of(1, 256);

  private final Stopwatch stopwatch;
  private final Clock clock;
  private final Consumer<String> progress;
  private final List<Figure> figures = new ArrayList<>();

  /**
   * @param seconds of each figure, from 1 to 3600
   * @param progress told in a line what was just measured
   */
  public LimitsRun(int seconds, Clock clock, Consumer<String> progress) {
    if (seconds < 1 || seconds > SECONDS_MAX) {
      throw new IllegalArgumentException(
          "--seconds is from 1 to " + SECONDS_MAX + ", not " + seconds);
    }
    this.stopwatch = new Stopwatch(clock, WARM_UP_NANOS, TimeUnit.SECONDS.toNanos(seconds));
    this.clock = clock;
    this.progress = progress;
  }

  /** The columns of {@link #table}'s rows, and a row for each figure. */
  public static List<List<String>> table(List<Figure> figures) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(Figure.HEAD);
    figures.forEach(figure -> rows.add(figure.row()));
    return rows;
  }

  /**
   * Runs, and returns what was measured.
   *
   * @param directory is empty, and is so again in the end, unless something failed
   * @throws io.kvorum.cli.process.ServerProcessException if a process of the chain ends
   */
  public List<Figure> run(Path directory) throws IOException, InterruptedException {
    for (int records : SYNCED_RECORDS) {
      in(directory.resolve("sync-" + records), own -> sync(own, records));
    }
    for (int messages : MESSAGES) {
      tcp(messages);
    }
    for (int records : CHAINED_RECORDS) {
      in(directory.resolve("chain-" + records), own -> chain(own, records));
    }
    for (int puts : PUTS) {
      in(directory.resolve("rocksdb-" + puts), own -> rocksDb(own, puts));
    }
    return List.copyOf(figures);
  }

  /** What needs a directory of its own. */
  @FunctionalInterface
  private interface Part {
    void run(Path own) throws IOException, InterruptedException;
  }

  private static void in(Path own, Part part) throws IOException, InterruptedException {
    Files.createDirectory(own);
    part.run(own);
    DataDirectory.delete(own);
  }

  private void sync(Path own, int records) throws IOException {
    try (SyncedFile file = SyncedFile.create(own.resolve("data"), FILE_BYTES)) {
      measured(stopwatch.measure("sync", records, new SyncStep(file, records, clock)));
    }
  }

  private void tcp(int messages) throws IOException {
    try (Echo echo = Echo.start()) {
      pipeline("tcp", messages, echo.client(), Echo::answers);
    }
  }

  private void chain(Path own, int records) throws IOException, InterruptedException {
    try (Chain chain = Chain.start(own)) {
      pipeline("chain", records, chain.client(), ChainLeader::answers);
    } catch (IOException broken) {
      throw new IOException("the leader of the chain: " + broken.getMessage(), broken);
    }
  }

  private void pipeline(
      String name, int outstanding, SocketChannel client, Pipeline.Answers answers)
      throws IOException {
    Pipeline pipeline = new Pipeline(client, outstanding, answers, clock);
    Figure figure = stopwatch.measure(name, outstanding, pipeline);
    pipeline.drain(new Measurement(clock));
    measured(figure);
  }

  private void rocksDb(Path own, int puts) throws IOException {
    try (RocksStep step = RocksStep.open(own, puts, clock)) {
      measured(stopwatch.measure("rocksdb", puts, step));
    }
  }

  private void measured(Figure figure) {
    figures.add(figure);
    progress.accept(figure.line());
  }
}
