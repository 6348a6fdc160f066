package io.kvorum.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of the kernel's own words. */
class UsageTest {
  private static final String STAT =
      "42 (a (strange) name) S 1 42 42 0 -1 4194560 900 0 0 0 250 50 0 0 20 0 9 0 100 1000 10\n";
  private static final String IO =
      "rchar: 1\nwchar: 2\nwrite_bytes: 8192\ncancelled_write_bytes: 3\n";
  private static final String STATUS =
      "Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t  2048 kB\nVmRSS:\t 1 kB\n";

  @Test
  void aProcessWithAStrangeName() {
    assertThat(Usage.parse(STAT, IO, STATUS)).isEqualTo(new Usage(3_000_000, 8192, 2 << 20));
  }

  @Test
  void ofSeveralProcessesTheSumAndTheLargest(@TempDir Path proc) throws Exception {
    for (String pid : List.of("1", "2")) {
      Path process = Files.createDirectories(proc.resolve(pid));
      Files.writeString(process.resolve("stat"), STAT);
      Files.writeString(process.resolve("io"), IO);
      Files.writeString(process.resolve("status"), STATUS);
    }

    assertThat(Usage.of(proc, List.of(1L, 2L))).isEqualTo(new Usage(6_000_000, 16_384, 2 << 20));
  }

  @Test
  void whatWasUsedSince() {
    assertThat(new Usage(50, 60, 70).since(new Usage(10, 20, 69))).isEqualTo(new Usage(40, 40, 70));
  }

  @Test
  void whatIsNotThereIsNoZero() {
    assertThatThrownBy(() -> Usage.parse(STAT, "", STATUS)).hasMessageContaining("write_bytes");
  }

  @Test
  void aDeviceIsFoundByBothItsNumbers() {
    String diskstats =
        "   7       0 loop0 1 0 1 0 1 0 99 0 0 0 0\n"
            + " 254       0 vda 1 0 1 0 1 0 5 0 0 0 0\n"
            + " 254      16 vdb 1 0 1 0 1 0 7 0 0 0 0\n";

    assertThat(new Device(254, 0).writtenBytes(diskstats)).isEqualTo(5 * 512);
    assertThat(new Device(254, 16).writtenBytes(diskstats)).isEqualTo(7 * 512);
    assertThat(new Device(0, 50).writtenBytes(diskstats)).isZero();
    assertThat(Device.parse(new Device(254, 16).toString())).isEqualTo(new Device(254, 16));
  }
}
