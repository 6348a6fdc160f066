package io.kvorum.server.store.rocks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.Dump;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableBatch;
import io.kvorum.server.store.Tables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every page of every file of the tables is flipped and zeroed (FAULTS F034, F148). What is then
 * read is an error, or one of the moments at which all tables were flushed together: from there the
 * log goes on. Never a mixture, and never another row.
 */
class RocksDamageTest {
  private static final int PAGE_BYTES = 4096;
  private static final int MOMENTS = 3;

  @TempDir private Path directory;

  private final List<List<String>> moments = new ArrayList<>();
  private final Map<String, byte[]> files = new TreeMap<>();

  private Tables open(Path where) {
    return RocksTables.open(RealDisk.at(where), RocksSettings.DEFAULT);
  }

  private void prepare() throws IOException {
    Path whole = directory.resolve("whole");
    try (Tables tables = open(whole)) {
      moments.add(Dump.of(tables));
      for (int moment = 0; moment < MOMENTS; moment++) {
        TableBatch batch = tables.batch();
        for (int row = 0; row < 12; row++) {
          byte[] key = ("key " + row % (5 + moment)).getBytes(UTF_8);
          batch.put(Table.LATEST, key, value(moment, 300));
          batch.put(Table.REV, (moment + " " + row).getBytes(UTF_8), value(row, 300));
        }
        batch.put(Table.REV, ("large " + moment).getBytes(UTF_8), value(moment, 9_000));
        batch.put(Table.META, "n".getBytes(UTF_8), value(moment, 8));
        tables.write(batch);
        tables.flush();
        moments.add(Dump.of(tables));
      }
    }
    try (var list = Files.newDirectoryStream(whole)) {
      for (Path file : list) {
        String name = file.getFileName().toString();
        // What RocksDB writes for people, and what it locks.
        if (Files.isRegularFile(file) && !name.startsWith("LO")) {
          files.put(name, Files.readAllBytes(file));
        }
      }
    }
    assertThat(files.keySet())
        .anyMatch(name -> name.endsWith(".sst"))
        .anyMatch(name -> name.endsWith(".blob"))
        .anyMatch(name -> name.startsWith("MANIFEST"))
        .contains("CURRENT");
  }

  private static byte[] value(int number, int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (1 + (i * 31 + number * 7) % 127);
    }
    return bytes;
  }

  @Test
  void noPageChangesWhatIsRead() throws IOException {
    prepare();
    int found = 0;
    int cases = 0;
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      for (int at = 0; at < file.getValue().length; at += PAGE_BYTES) {
        for (boolean flip : new boolean[] {true, false}) {
          String what = file.getKey() + " at " + at + (flip ? " flipped" : " zeroed");
          Path where = directory.resolve("case" + cases++);
          plant(where, file.getKey(), damaged(file.getValue(), at, flip));
          found += isFound(where, what) ? 1 : 0;
        }
      }
    }
    assertThat(found).as("errors").isGreaterThan(cases / 2);
  }

  private static byte[] damaged(byte[] content, int from, boolean flip) {
    byte[] bytes = content.clone();
    int to = Math.min(bytes.length, from + PAGE_BYTES);
    if (flip) {
      bytes[(from + to) / 2] ^= 0x10;
    } else {
      Arrays.fill(bytes, from, to, (byte) 0);
    }
    return bytes;
  }

  private void plant(Path where, String damagedFile, byte[] content) throws IOException {
    Files.createDirectories(where);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      boolean isIt = file.getKey().equals(damagedFile);
      Files.write(where.resolve(file.getKey()), isIt ? content : file.getValue());
    }
  }

  /** Whether it was an error. */
  private boolean isFound(Path where, String what) {
    List<String> rows;
    try (Tables tables = open(where)) {
      rows = Dump.of(tables);
    } catch (UncheckedIOException error) {
      assertThat(error).hasMessageContaining(where.toString());
      return true;
    }
    assertThat(rows).as(what).isIn(moments);
    return false;
  }
}
