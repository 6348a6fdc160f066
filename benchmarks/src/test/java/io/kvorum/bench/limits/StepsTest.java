package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.bench.load.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One step of each kind that needs a disk. */
class StepsTest {
  @TempDir Path directory;

  private final ManualClock clock = new ManualClock(5);
  private final Measurement measurement = new Measurement(clock);

  @Test
  void aSyncEndsAllRecordsOfItsBatch() throws Exception {
    Path path = directory.resolve("data");
    measurement.begin();
    try (SyncedFile file = SyncedFile.create(path, 1 << 20)) {
      SyncStep step = new SyncStep(file, 20, clock);
      assertThat(step.run(measurement)).isEqualTo(1);
      assertThat(step.run(measurement)).isEqualTo(1);
    }
    measurement.end();

    assertThat(measurement.operations()).isEqualTo(40);
    assertThat(measurement.latencies().p50Nanos()).isEqualTo(5);
    byte[] written = Files.readAllBytes(path);
    // 20 records are 5,120 bytes; the second batch begins with the third page.
    assertThat(written[20 * SyncStep.RECORD_BYTES - 1]).isEqualTo((byte) 0xff);
    assertThat(written[2 * SyncedFile.PAGE_BYTES + 1]).isEqualTo((byte) 1);
  }

  @Test
  void aWriteEndsAllPutsOfItsBatch() throws Exception {
    measurement.begin();
    try (RocksStep step = RocksStep.open(directory, 3, clock)) {
      assertThat(step.run(measurement)).isEqualTo(1);
    }
    measurement.end();

    assertThat(measurement.operations()).isEqualTo(3);
  }

  @Test
  void aDatabaseThatCannotBeOpenedIsNamed() throws Exception {
    Files.createFile(directory.resolve("data"));

    assertThatThrownBy(() -> RocksStep.open(directory, 1, clock))
        .isInstanceOf(IOException.class)
        .hasMessage("RocksDB cannot be opened in " + directory);
  }
}
