package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where batches come to lie. */
class SyncedFileTest {
  private static final int PAGE = SyncedFile.PAGE_BYTES;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"0,0", "1,4096", "4095,4096", "4096,4096", "4097,8192", "262144,262144"})
  void batchesArePaddedToWholePages(long bytes, long padded) {
    assertThat(SyncedFile.padded(bytes)).isEqualTo(padded);
  }

  @Test
  void aFileIsZerosFromTheFirstMomentOn() throws Exception {
    Path path = directory.resolve("data");
    long bytes = (1 << 20) + 1;

    SyncedFile.create(path, bytes).close();

    assertThat(Files.readAllBytes(path)).isEqualTo(new byte[(1 << 20) + PAGE]);
  }

  @Test
  void eachBatchBeginsAPageAndZerosFollowIt() throws Exception {
    Path path = directory.resolve("data");
    try (SyncedFile file = SyncedFile.create(path, 4 * PAGE)) {
      file.append(batch(1, 300));
      file.append(batch(2, PAGE + 1));
      file.append(batch(3, PAGE));
    }

    byte[] expected = new byte[4 * PAGE];
    Arrays.fill(expected, 0, 300, (byte) 1);
    Arrays.fill(expected, PAGE, 2 * PAGE + 1, (byte) 2);
    Arrays.fill(expected, 3 * PAGE, 4 * PAGE, (byte) 3);
    assertThat(Files.readAllBytes(path)).isEqualTo(expected);
  }

  /** What an old batch has left in the last page of a new one is overwritten too. */
  @Test
  void whatDoesNotFitBeginsAgainAndTheFileDoesNotGrow() throws Exception {
    Path path = directory.resolve("data");
    try (SyncedFile file = SyncedFile.create(path, 3 * PAGE)) {
      file.append(batch(1, 2 * PAGE));
      file.append(batch(2, PAGE + 10));
    }

    byte[] expected = new byte[3 * PAGE];
    Arrays.fill(expected, 0, PAGE + 10, (byte) 2);
    assertThat(Files.readAllBytes(path)).isEqualTo(expected);
  }

  @Test
  void aBatchHasBytesAndFits() throws Exception {
    try (SyncedFile file = SyncedFile.create(directory.resolve("data"), PAGE)) {
      assertThatThrownBy(() -> file.append(batch(1, 0)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a batch has from 1 to 4096 bytes, not 0");
      assertThatThrownBy(() -> file.append(batch(1, PAGE + 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a batch has from 1 to 4096 bytes, not 4097");
    }
  }

  @Test
  void aFileThatExistsIsNotTaken() throws Exception {
    Path path = Files.writeString(directory.resolve("data"), "precious");

    assertThatThrownBy(() -> SyncedFile.create(path, PAGE))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(path).hasContent("precious");
  }

  private static ByteBuffer batch(int value, int bytes) {
    byte[] content = new byte[bytes];
    Arrays.fill(content, (byte) value);
    return ByteBuffer.wrap(content);
  }
}
