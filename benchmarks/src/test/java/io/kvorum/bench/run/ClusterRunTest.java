package io.kvorum.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.SystemUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of turns, of systems whose servers do not start. */
class ClusterRunTest {
  private final List<String> turns = new ArrayList<>();

  @TempDir Path directory;

  @Test
  void twoSystemsAlternateSoThatEachRoundBeginsWithTheOther() throws InterruptedException {
    run(4, "base", "kvorum");

    assertThat(turns)
        .containsExactly("base", "kvorum", "kvorum", "base", "base", "kvorum", "kvorum", "base");
  }

  @Test
  void aTurnThatFailsIsTheOnlyOneThatIsLost() throws InterruptedException {
    ClusterRun run = run(1, "base", "kvorum");

    assertThat(run.results()).isEmpty();
    assertThat(run.wrong())
        .containsExactly(
            "base in round 1: n1 ended; logs in " + directory.resolve("1-base"),
            "kvorum in round 1: n1 ended; logs in " + directory.resolve("1-kvorum"));
  }

  private ClusterRun run(int rounds, String... names) throws InterruptedException {
    Plan plan = new Plan(List.of(Workload.PUT), List.of(1), 256, 3, 1, 0, 0, rounds, 10, 1);
    List<SystemUnderTest> systems = new ArrayList<>();
    for (String name : names) {
      systems.add(new Broken(name, turns));
    }
    ClusterRun run = new ClusterRun(plan, systems, directory, line -> {});
    run.run();
    return run;
  }

  /** Notes that it was to be started, and is not. */
  private record Broken(String name, List<String> turns) implements SystemUnderTest {
    @Override
    public Cluster start(Path directory, int nodes) {
      turns.add(name);
      throw new UncheckedIOException("n1 ended", new IOException());
    }

    @Override
    public String version() {
      return "1";
    }

    @Override
    public String promises() {
      return "none";
    }

    @Override
    public String flags() {
      return "";
    }

    @Override
    public Set<Workload> workloads() {
      return Set.of(Workload.PUT);
    }

    @Override
    public Class<? extends StoreFactory> clients() {
      return StoreFactory.class;
    }

    @Override
    public String clientClassPath() {
      return "";
    }
  }
}
