package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.testkit.tidy.Tidy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Java block of a document. Its code stands in one of the examples, and so it compiles; its
 * imports are those of that example that the code needs, all of them and no others.
 *
 * @param imports the names in it, in order
 */
record QuotedCode(List<String> imports, String code) {
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern IMPORT = Pattern.compile("(?m)^import ([\\w.]+);\n");

  /** All blocks of a document, below the root of the tree. */
  static List<QuotedCode> of(String document) throws IOException {
    List<QuotedCode> all = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(Tidy.root().resolve(document)));
    while (block.find()) {
      String text = block.group(1);
      all.add(new QuotedCode(importsOf(text), IMPORT.matcher(text).replaceAll("").strip()));
    }
    return all;
  }

  private static List<String> importsOf(String source) {
    return IMPORT.matcher(source).results().map(found -> found.group(1)).toList();
  }

  /** Fails unless the block is as this class says. */
  void check() throws IOException {
    List<String> sources = new ArrayList<>();
    for (String kind : List.of("main", "test")) {
      Path folder = Tidy.root().resolve("examples/src/" + kind + "/java/io/kvorum/examples");
      try (Stream<Path> files = Files.list(folder).filter(Files::isRegularFile)) {
        for (Path file : files.sorted().toList()) {
          sources.add(Files.readString(file));
        }
      }
    }
    // Lines broken elsewhere are the same code.
    List<String> from =
        sources.stream().filter(source -> squeezed(source).contains(squeezed(code))).toList();
    assertThat(from).as("the example that has %s", code).hasSize(1);
    assertThat(imports).as("imports of %s", code).isEqualTo(needed(from.get(0)));
  }

  private List<String> needed(String source) {
    Set<String> words = Pattern.compile("\\W+").splitAsStream(code).collect(Collectors.toSet());
    return List.copyOf(
        importsOf(source).stream()
            .filter(name -> words.contains(name.substring(name.lastIndexOf('.') + 1)))
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static String squeezed(String code) {
    return code.replaceAll("\\s+", "");
  }
}
