package io.kvorum.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kvorum.api.Bytes;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.server.store.CorruptTablesException;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.server.store.rocks.RocksTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** RocksDB's files are damaged: what is in them is built anew, and never believed. */
class DamagedStateTest {
  @TempDir private Path directory;

  private final Logger durable = (Logger) LoggerFactory.getLogger(DurableState.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    durable.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    durable.detachAppender(log);
  }

  private KvNode start() {
    return KvNode.start(ServerConfig.embedded(directory).segmentBytes(8 << 20).build());
  }

  private Path state() {
    return directory.resolve("state");
  }

  private void write() {
    try (KvNode node = start()) {
      for (int i = 0; i < 20; i++) {
        node.blocking().put(Bytes.utf8("key" + i), Bytes.utf8("value" + i));
      }
    }
  }

  private List<Path> tables() throws IOException {
    try (Stream<Path> all = Files.list(state())) {
      return all.filter(each -> each.toString().endsWith(".sst")).toList();
    }
  }

  /** Of every table, the first block. */
  private void damage() throws IOException {
    assertThat(tables()).isNotEmpty();
    for (Path table : tables()) {
      byte[] content = Files.readAllBytes(table);
      content[5] ^= 1;
      Files.write(table, content);
    }
  }

  private void assertRebuilt() {
    assertAllThere();
    assertThat(directory.resolve("damaged-state")).isDirectoryContaining("glob:**.sst");
    assertThat(state().resolve("kvorum-damaged")).doesNotExist();
    assertThat(warnings())
        .hasSize(2)
        .anyMatch(
            text -> text.startsWith("the state is damaged, and is kept in " + directory + "/d"))
        .contains(state() + " is built anew from the log from entry 1 on");
  }

  private void assertAllThere() {
    log.list.clear();
    try (KvNode node = start()) {
      for (int i = 0; i < 20; i++) {
        assertThat(node.blocking().get(Bytes.utf8("key" + i)).value())
            .contains(Bytes.utf8("value" + i));
      }
    }
  }

  private List<String> warnings() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Test
  void damagedTablesAreSetAsideAndBuiltAnew() throws IOException {
    write();
    damage();
    assertRebuilt();
  }

  @Test
  void soAreThoseOfWhichAFileIsMissing() throws IOException {
    write();
    for (Path table : tables()) {
      Files.delete(table);
    }
    Files.write(state().resolve("000001.sst"), new byte[10]);
    assertRebuilt();
    // Without it RocksDB would begin anew beside the tables that are there.
    Files.delete(state().resolve("CURRENT"));
    assertRebuilt();
  }

  @Test
  void aStateThatIsGoneIsNotMadeAnewInSilence() throws IOException {
    write();
    Files.move(state(), directory.resolve("elsewhere"));
    assertAllThere();
    assertThat(warnings())
        .containsExactly(
            state() + " is empty, though a node has run here",
            state() + " is built anew from the log from entry 1 on");
  }

  /** RocksDB reads a block only when somebody asks for it; the next start knows all the same. */
  @Test
  void damageThatIsMetLaterIsRemembered() throws IOException {
    write();
    damage();
    RealDisk disk = RealDisk.at(state(), WriteMode.CHANNEL);
    RocksTables tables = RocksTables.open(disk, RocksSettings.DEFAULT);
    assertThatThrownBy(() -> tables.get(Table.LATEST, "key3".getBytes(US_ASCII)))
        .isInstanceOf(CorruptTablesException.class)
        .hasMessageContaining(state().toString());
    tables.close();
    assertThat(state().resolve("kvorum-damaged")).content().contains("checksum");
    assertThatThrownBy(() -> RocksTables.open(disk, RocksSettings.DEFAULT))
        .isInstanceOf(CorruptTablesException.class);
    assertRebuilt();
  }
}
