package io.kvorum.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Values;
import io.kvorum.node.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client process does, on a store in memory and a kernel made of files. */
class CommandsTest {
  private static final int KEYS = 20;
  private static final long SERVER = 7;

  @TempDir Path proc;
  final FakeStore store = new FakeStore();
  final Values values = new Values(32);
  Commands commands;

  @BeforeEach
  void preload() throws Exception {
    long self = ProcessHandle.current().pid();
    for (long pid : List.of(SERVER, self)) {
      Path process = Files.createDirectories(proc.resolve(Long.toString(pid)));
      Files.writeString(process.resolve("stat"), "1 (x) S 1 1 1 0 1 1 1 1 1 1 5 6 0\n");
      Files.writeString(process.resolve("io"), "write_bytes: 4096\n");
      Files.writeString(process.resolve("status"), "VmHWM:\t   100 kB\n");
    }
    Files.writeString(proc.resolve("diskstats"), "254 0 vda 0 0 0 0 0 0 8 0 0 0 0\n");
    commands = new Commands(store, KEYS, values, new SystemClock(), proc);
    assertThat(execute("command=preload")).isEqualTo("keys=20");
  }

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest
  @EnumSource
  void everyLoadMakesCallsAndLeavesWhatItSaysItHasLeft(Workload workload) throws Exception {
    Outcome outcome = Outcome.parse(commands.execute(point(workload)));

    assertThat(outcome.operations()).isPositive();
    assertThat(outcome.failures()).isZero();
    assertThat(outcome.staleReads()).isZero();
    assertThat(outcome.latencies().p50Nanos()).isPositive();
    assertThat(outcome.servers().peakRssBytes()).isEqualTo(100 << 10);
    assertThat(execute("command=verify")).isEqualTo("keys=20 wrong=0");
  }

  @Test
  void verifyingFindsWhatWasLost() throws Exception {
    store.loses = true;
    commands.execute(point(Workload.PUT));

    assertThat(execute("command=verify")).startsWith("keys=20 wrong=").doesNotEndWith("wrong=0");
  }

  @Test
  void verifyingFindsAValueThatNobodyWrote() {
    store.put(Key.of(3), new byte[32]).join();

    assertThatThrownBy(() -> execute("command=verify"))
        .hasMessageContaining("holds what nobody has written");
  }

  @Test
  void staleReadsAreCounted() throws Exception {
    commands.execute(point(Workload.PUT));
    store.isStale = true;

    assertThat(Outcome.parse(commands.execute(point(Workload.GET))).staleReads()).isPositive();
  }

  @Test
  void callsThatFailAreCountedAndDoNotEndTheLoad() throws Exception {
    store.fails = true;

    Outcome outcome = Outcome.parse(commands.execute(point(Workload.PUT)));

    assertThat(outcome.operations()).isZero();
    assertThat(outcome.failures()).isGreaterThan(3);
  }

  @Test
  void theSampleTellsALinearizableStoreFromAStaleOne() throws Exception {
    assertThat(execute("command=sample seed=1")).endsWith("verdict=LINEARIZABLE");

    store.isStale = true;
    assertThat(new Sample(store, 2 * KEYS, values, new SystemClock()).run(1).verdict().outcome())
        .hasToString("VIOLATION");
  }

  @Test
  void moreClientsThanKeysAreRefused() {
    Fields point = point(Workload.PUT).with("clients", KEYS + 1);

    assertThatThrownBy(() -> commands.execute(point)).hasMessageContaining("a key of its own");
  }

  private String execute(String command) throws Exception {
    return commands.execute(Fields.parse(command)).toString();
  }

  private static Fields point(Workload workload) {
    return new Point(workload, 4, 0, 100, List.of(SERVER), new Device(254, 0), 1)
        .fields()
        .with("command", "point");
  }
}
