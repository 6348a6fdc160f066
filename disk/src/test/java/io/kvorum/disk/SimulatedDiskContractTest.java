package io.kvorum.disk;

import io.kvorum.disk.simulated.SimulatedDisk;
import java.util.SplittableRandom;

class SimulatedDiskContractTest extends DiskContract {
  @Override
  Disk newDisk() {
    return SimulatedDisk.create(new SplittableRandom(1));
  }
}
