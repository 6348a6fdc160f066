package io.kvorum.server.store.rocks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableBatch;
import io.kvorum.server.store.TableCursor;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.Tables;
import io.kvorum.server.store.TablesContract;
import io.kvorum.server.store.TablesHome;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksTablesTest extends TablesContract {
  @TempDir Path directory;
  private long handlesBefore;
  private RocksHome home;

  @BeforeEach
  void countHandles() {
    handlesBefore = Handles.open();
  }

  /** FAULTS F158: after each test, whatever it did, no native object is left. */
  @AfterEach
  void noNativeObjectIsLeft() {
    tables().abandon();
    assertThat(Handles.open()).isEqualTo(handlesBefore);
  }

  @Override
  protected TablesHome home() {
    if (home == null) {
      home = home("db");
    }
    return home;
  }

  @Override
  protected TablesHome otherHome(int number) {
    return home("other" + number);
  }

  private RocksHome home(String name) {
    return RocksHome.in(RealDisk.at(directory.resolve(name)), RocksSettings.DEFAULT);
  }

  private RocksTables open(RocksSettings settings) {
    return RocksTables.open(RealDisk.at(directory.resolve("db")), settings);
  }

  @Override
  protected Tables crash(Tables crashed) {
    crashed.abandon();
    return home().open();
  }

  /** FAULTS F157: the bound holds, and what is late meets an exception, not a freed pointer. */
  @Test
  void aCloseGivesUpOnALateReaderWhichThenGivesTheDatabaseBack() {
    RocksTables tables =
        RocksTables.open(
            RealDisk.at(directory.resolve("late")),
            RocksSettings.DEFAULT.withCloseWait(Duration.ofMillis(30)));
    TableBatch batch = tables.batch();
    batch.put(Table.LATEST, bytes("a"), bytes("1"));
    tables.write(batch);
    TableSnapshot snapshot = tables.snapshot();
    TableCursor cursor = snapshot.scan(Table.LATEST, bytes("a"), null, false);

    assertThatThrownBy(tables::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2 readers still inside");
    assertThatThrownBy(() -> snapshot.get(Table.LATEST, bytes("a")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
    long alive = Handles.open();
    snapshot.close();
    cursor.close();
    assertThat(Handles.open()).isLessThan(alive);
    RocksTables.open(RealDisk.at(directory.resolve("late")), RocksSettings.DEFAULT).close();
  }

  /** A process was killed while it made a checkpoint, or looked into one. */
  @Test
  void whatWasLeftBehindIsRemovedAndNothingElse() throws Exception {
    Path leftovers = directory.resolve("left");
    for (String name : List.of("checkpoint/checkpoint.tmp", "look-7", "lost+found")) {
      Files.writeString(Files.createDirectories(leftovers.resolve(name)).resolve("1.sst"), "x");
    }
    home("left").open().close();
    assertThat(RealDisk.at(leftovers).directories()).containsExactly("lost+found");
  }

  @Test
  void aDirectoryInUseIsRefused() {
    tables();
    long handles = Handles.open();
    assertThatThrownBy(() -> open(RocksSettings.DEFAULT))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(directory.toString());
    assertThat(Handles.open()).isEqualTo(handles);
  }

  /** FAULTS F158: opens that fail leave nothing behind either. */
  @Test
  void whatIsNoDatabaseIsRefused() throws Exception {
    RealDisk none = RealDisk.at(directory.resolve("none"));
    Files.writeString(none.path().resolve("CURRENT"), "no manifest");
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> RocksTables.open(none, RocksSettings.DEFAULT))
          .isInstanceOf(UncheckedIOException.class);
    }
    assertThat(Handles.open()).isEqualTo(handlesBefore);
  }

  @Test
  void aDamagedTableFileIsAnErrorNotMissingRows() throws Exception {
    for (int i = 0; i < 1000; i++) {
      put(Table.LATEST, bytes("key" + i), filled(200));
    }
    tables().flush();
    tables().close();
    List<Path> files = new ArrayList<>();
    try (var list = Files.newDirectoryStream(directory.resolve("db"), "*.sst")) {
      list.forEach(files::add);
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      for (int i = 0; i < Math.min(bytes.length, 100_000); i += 50) {
        bytes[i] ^= 0x55;
      }
      Files.write(file, bytes);
    }
    assertThatThrownBy(
            () -> {
              try (RocksTables damaged = open(RocksSettings.DEFAULT)) {
                scan(damaged, bytes("key"), null, false);
              }
            })
        .isInstanceOf(UncheckedIOException.class);
  }

  /** FAULTS F158: the count above knows every native object, because each one is made in it. */
  @Test
  void everyNativeObjectIsCounted() throws Exception {
    Pattern made =
        Pattern.compile(
            "(handles\\s*\\.add\\(\\s*)?"
                + "(new (LRUCache|BloomFilter|Slice|WriteBatch|SstFileReader|[A-Za-z]*Options)\\("
                + "|opening\\.open\\(|Checkpoint\\.create\\(|\\.newIterator\\()");
    int counted = 0;
    Path sources = Path.of("src/main/java/io/kvorum/server/store/rocks");
    try (var files = Files.newDirectoryStream(sources, "Rocks*.java")) {
      for (Path file : files) {
        String source = Files.readString(file).replace("tables.database()", "");
        List<MatchResult> found =
            made.matcher(source)
                .results()
                .filter(match -> !match.group(2).startsWith("new RocksOptions"))
                .toList();
        for (MatchResult match : found) {
          assertThat(match.group(1)).as("%s: %s", file, match.group()).isNotNull();
        }
        counted += found.size();
      }
    }
    assertThat(counted).isGreaterThanOrEqualTo(14);
  }

  /**
   * When memory fills, all tables become durable at one point between two batches: what is found
   * after a crash is the first n batches for some n.
   */
  @Test
  void aFlushOfItsOwnIsAtomicOverAllTables() {
    RealDisk path = RealDisk.at(directory.resolve("small"));
    RocksSettings settings = RocksSettings.DEFAULT.withBuffers(64 << 10, 64 << 10);
    RocksTables tables = RocksTables.open(path, settings);
    int batches = 3000;
    for (int n = 0; n < batches; n++) {
      TableBatch batch = tables.batch();
      byte[] number = bytes(String.format("%08d", n));
      batch.put(Table.LATEST, number, filled(n % 7 == 0 ? 300 : 30));
      batch.put(Table.REV, number, filled(n % 3 == 0 ? 10 : 200));
      batch.put(Table.META, bytes("n"), number);
      tables.write(batch);
    }
    byte[] durable = tables.flushed(Table.META, bytes("n"));
    assertThat(durable).as("64 KiB filled many times over").isNotNull();
    tables.abandon();

    try (RocksTables found = RocksTables.open(path, settings)) {
      byte[] last = found.get(Table.META, bytes("n"));
      assertThat(last).isNotNull();
      assertThat(new String(last, UTF_8))
          .isGreaterThanOrEqualTo(new String(durable, UTF_8))
          .isLessThan(String.format("%08d", batches));
      List<byte[]> keys = scan(found, bytes("0"), null, false);
      assertThat(keys.get(keys.size() - 1)).isEqualTo(last);
      assertThat(keys).hasSize(Integer.parseInt(new String(last, UTF_8)) + 1);
      for (byte[] key : keys) {
        assertThat(found.get(Table.REV, key)).isNotNull();
      }
    }
  }
}
