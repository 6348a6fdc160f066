package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/CLIENT.md says what the client does. */
class ClientDocumentTest {
  private static final Path EXAMPLES = Path.of("src/main/java/io/kvorum/examples");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private static String document() throws IOException {
    return Files.readString(Path.of("../docs/CLIENT.md"));
  }

  /** And so they compile. Lines broken elsewhere are the same code. */
  @Test
  void itsCodeStandsInTheExamples() throws IOException {
    StringBuilder code = new StringBuilder();
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      for (Path file : files.toList()) {
        code.append(squeezed(Files.readString(file)));
      }
    }
    Matcher block = BLOCK.matcher(document());
    int blocks = 0;
    while (block.find()) {
      assertThat(code).contains(squeezed(block.group(1)));
      blocks++;
    }
    assertThat(blocks).isEqualTo(5);
  }

  private static String squeezed(String code) {
    return code.replaceAll("\\s+", "");
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
