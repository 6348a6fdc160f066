package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.NodeId;
import io.kvorum.server.store.Tables;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.server.store.rocks.RocksTables;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.world.TablesMedium;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The same runs over RocksDB. Its files are real ones, so only its process is lost, not a disk. */
@ExtendWith(QuietNodes.class)
class RocksSimulationTest {
  private static final int PLANS = 4;

  @TempDir Path directory;

  @Test
  void drawnPlansKeepAllPromisesOverRocksDb() {
    for (long seed = 500; seed < 500 + PLANS; seed++) {
      SimPlan plan = Plans.draw(seed);
      List<OnRocksDb> media = new ArrayList<>();
      SimResult result =
          Simulation.run(plan, Checkers.all(), false, node -> medium(plan.seed(), node, media));
      media.forEach(OnRocksDb::crash);
      assertThat(result.violation()).as("the run of plan %d", seed).isNull();
    }
  }

  private TablesMedium medium(long seed, NodeId node, List<OnRocksDb> media) {
    OnRocksDb medium = new OnRocksDb(directory.resolve(seed + "-" + node));
    media.add(medium);
    return medium;
  }

  /** Tables in a directory; a lost one is never looked at again. */
  private static final class OnRocksDb implements TablesMedium {
    private final Path directory;
    private int losses;
    private @Nullable RocksTables tables;

    OnRocksDb(Path directory) {
      this.directory = directory;
    }

    @Override
    public Tables open() {
      crash();
      Path place = directory.resolve("life-" + losses);
      RocksTables opened = RocksTables.open(place.toString(), RocksSettings.DEFAULT);
      tables = opened;
      return opened;
    }

    @Override
    public void crash() {
      if (tables != null) {
        tables.abandon();
        tables = null;
      }
    }

    @Override
    public void lose() {
      crash();
      losses++;
    }
  }
}
