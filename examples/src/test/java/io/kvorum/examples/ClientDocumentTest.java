package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.KvException;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/CLIENT.md says what the client does, and docs/RECIPES.md how recipes are used. */
class ClientDocumentTest {
  private static String document() throws IOException {
    return Files.readString(Path.of("../docs/CLIENT.md"));
  }

  @ParameterizedTest
  @CsvSource({"CLIENT.md,6", "RECIPES.md,1"})
  void codeStandsInTheExamplesAndHasItsImports(String name, int blocks) throws IOException {
    List<QuotedCode> quoted = QuotedCode.of("docs/" + name);
    assertThat(quoted).hasSize(blocks);
    for (QuotedCode block : quoted) {
      block.check();
    }
  }

  @Test
  void itNamesEachExceptionAndEachReason() throws IOException {
    List<String> names = new ArrayList<>();
    for (Class<?> type : KvException.class.getDeclaredClasses()) {
      if (KvException.class.isAssignableFrom(type)) {
        names.add(type.getSimpleName());
      }
    }
    assertThat(names).hasSizeGreaterThan(6);
    Stream.of(KvException.Reason.values()).map(Enum::name).forEach(names::add);
    List<String> rows = document().lines().filter(line -> line.startsWith("| `")).toList();
    for (String name : names) {
      assertThat(rows).as(name).anyMatch(row -> firstCell(row).contains("`" + name + "`"));
    }
  }

  private static String firstCell(String row) {
    return row.substring(0, row.indexOf('|', 1));
  }

  @Test
  void itNamesEachSettingWithItsDefault() throws ReflectiveOperationException, IOException {
    ClientConfig defaults = ClientConfig.of(new Endpoint("localhost", 7400));
    String table =
        document()
            .lines()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.replace(",", ""))
            .collect(Collectors.joining("\n"));
    for (RecordComponent setting : ClientConfig.class.getRecordComponents()) {
      String row = "| `" + setting.getName() + "` | ";
      assertThat(table).contains(row);
      Object value = setting.getAccessor().invoke(defaults);
      if (value instanceof Duration time) {
        assertThat(table).contains(row + time.toSeconds() + " s |");
      } else if (value instanceof Number number) {
        assertThat(table).contains(row + text(setting.getName(), number.longValue()) + " |");
      } else if (value instanceof String text) {
        assertThat(table).contains(row + "`" + text + "` |");
      }
    }
  }

  private static String text(String name, long number) {
    return name.contains("Bytes")
        ? String.format(Locale.ROOT, "%d MiB", number >> 20)
        : number + " requests";
  }
}
