package io.kvorum.server.store.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What a process that is killed leaves behind. */
class RocksLibraryTest {
  @Test
  @EnabledOnOs(OS.LINUX)
  void theFileItWasLoadedFromHasNoNameAnyMore() throws IOException {
    RocksLibrary.load();
    List<String> mapped =
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .filter(line -> line.contains("librocksdbjni"))
            .toList();
    assertThat(mapped).isNotEmpty();
    assertThat(mapped)
        .allMatch(line -> line.contains("/" + RocksLibrary.PREFIX) && line.endsWith("(deleted)"));
    String file = mapped.get(0).replaceAll(".* (/.*) \\(deleted\\)", "$1");
    assertThat(Path.of(file).getParent()).doesNotExist();
  }
}
