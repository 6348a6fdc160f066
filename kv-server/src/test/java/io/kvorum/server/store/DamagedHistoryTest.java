package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.PutOptions;
import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A part of the history that RocksDB meets only when somebody reads it. A snapshot with it in would
 * be of no use to build a state from, and the log would be cut behind it.
 */
class DamagedHistoryTest {
  @TempDir private Path directory;

  private static Entry put(long index, String value) {
    byte[] command = Commands.put(Bytes.utf8("key"), Bytes.utf8(value), PutOptions.DEFAULT, 0);
    return new Entry(index, 1, EntryType.COMMAND, command);
  }

  @Test
  void noSnapshotIsTakenOfItAndTheNextStartKnows() throws IOException {
    Path state = directory.resolve("state");
    RocksHome home = RocksHome.in(RealDisk.at(state), RocksSettings.DEFAULT);
    KvStateMachine machine = KvStateMachine.open(home, StoreOptions.DEFAULT);
    assertThat(machine.apply(List.of(put(1, "the old value"), put(2, "the new value")))).hasSize(2);
    Disk first = RealDisk.at(directory.resolve("first"));
    assertThat(machine.checkpoint().writeTo(first).meta().last().index()).isEqualTo(2);

    flip(state, "the old value");
    assertThat(machine.get(Bytes.utf8("key"), 0)).isInstanceOf(ReadOutcome.Answered.class);
    Disk second = RealDisk.at(directory.resolve("second"));
    var checkpoint = machine.checkpoint();
    assertThatThrownBy(() -> checkpoint.writeTo(second))
        .isInstanceOf(CorruptTablesException.class)
        .hasMessageContaining("checksum mismatch")
        .hasMessageContaining("Restart the node: it builds its state anew");
    machine.close();
    assertThatThrownBy(() -> KvStateMachine.open(home, StoreOptions.DEFAULT))
        .isInstanceOf(CorruptTablesException.class)
        .hasMessageContaining("checksum mismatch");
  }

  /** In the one file of those in a directory that has the text. */
  private static void flip(Path files, String text) throws IOException {
    int flipped = 0;
    try (Stream<Path> all = Files.list(files)) {
      for (Path table : all.filter(each -> each.toString().endsWith(".sst")).toList()) {
        byte[] content = Files.readAllBytes(table);
        int place = new String(content, ISO_8859_1).indexOf(text);
        if (place >= 0) {
          content[place] ^= 1;
          Files.write(table, content);
          flipped++;
        }
      }
    }
    assertThat(flipped).isEqualTo(1);
  }
}
