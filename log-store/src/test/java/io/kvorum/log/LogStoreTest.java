package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.disk.simulated.SimulatedDisk;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

class LogStoreTest {
  @TempDir Path directory;

  @Nested
  class OnChannels extends LogStoreContract {
    @Override
    Disk disk() {
      return RealDisk.at(directory);
    }
  }

  @Nested
  class OnMaps extends LogStoreContract {
    @Override
    Disk disk() {
      return RealDisk.at(directory, WriteMode.MAPPED);
    }
  }

  @Nested
  class OnASimulatedDisk extends LogStoreContract {
    private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));

    @Override
    Disk disk() {
      return disk;
    }
  }
}
