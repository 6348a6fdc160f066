package io.kvorum.testkit.tidy;

import static java.util.Map.entry;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the style of the whole tree, and shows that each rule can fail. */
class TidyTest {
  private static final String MAIN = "core/src/main/java/p/A.java";
  private static final String TEST = "core/src/test/java/p/ATest.java";

  /** For each rule the file and the text that it must find fault with. */
  private static final Map<String, Planted> PLANTED =
      Map.ofEntries(
          entry("file-length", new Planted(MAIN, "package p;\n" + "//\n".repeat(500))),
          entry("line-length", new Planted(MAIN, "package p; // " + "x".repeat(100))),
          entry("method-length", in(MAIN, "void m() {" + "\n".repeat(61) + "}")),
          entry(
              "parameter-count",
              in(MAIN, "void m(int a, int b, int c, int d, int e, int f, int g) {}")),
          entry("nesting", in(MAIN, "void m() { if (a) { if (b) { if (c) { if (d) { e(); }}}}}")),
          entry("name", in(MAIN, "class LogManager {}")),
          entry("test-sleeps", in(TEST, "void m() { Thread.sleep(1); }")),
          entry("test-mocks", new Planted(TEST, "package p;\nimport org.mockito.Mockito;\n")),
          entry("test-disabled", in(TEST, "@Disabled void m() {}")),
          entry("clock", in(MAIN, "long now = System.nanoTime();")),
          entry("chance", in(MAIN, "Object random = new Random();")),
          entry("empty-catch", in(MAIN, "void m() { try { n(); } catch (E e) { } }")),
          entry(
              "catch-throwable",
              in(MAIN, "void m() { try { n(); } catch (Throwable e) { n(); } }")),
          entry("null-marked", in(MAIN, "")),
          entry("javadoc", new Planted(MAIN, "package p;\n\npublic class A {}\n")),
          entry("left-over", in(MAIN, "// TO" + "DO later")),
          entry("machine-path", new Planted("docs/A.md", "see /wo" + "rk/shared")),
          entry("registry-host", new Planted("pom.xml", "<url>https://repo1.mav" + "en.org</url>")),
          entry("class-in-docs", new Planted("README.md", "The `GoneClass` does it.")),
          entry("link", new Planted("README.md", "[design](docs/GONE.md)")),
          entry("jqwik-version", new Planted("pom.xml", "<jqwik.version>1.9.4</jqwik.version>")));

  @TempDir Path directory;

  @Test
  void theWholeTreeIsTidy() {
    List<Violation> violations = Tidy.check(Tidy.root());
    String listing = violations.stream().map(Violation::toString).collect(joining("\n  "));
    if (!violations.isEmpty()) {
      fail("%d places break a rule:%n  %s", violations.size(), listing);
    }
  }

  @Test
  void theWholeTreeIsRead() {
    SourceTree tree = SourceTree.read(Tidy.root());

    List<String> modules = tree.mainJavas().stream().map(JavaFile::module).distinct().toList();
    assertThat(modules)
        .contains("testkit", "raft-core", "disk", "log-store", "raft-node")
        .contains("kv-api", "kv-client", "kv-server", "kv-cli", "examples");
    assertThat(tree.testJavas()).extracting(JavaFile::name).contains("TidyTest.java");
    assertThat(tree.texts())
        .extracting(text -> text.path().toString())
        .contains("pom.xml", "kvorum", ".ci/run", "LICENSE", "CONTRIBUTING.md", "docs/TESTING.md")
        .noneMatch(path -> path.contains("/target/"));
  }

  @Test
  void everyRuleFindsWhatIsPlantedAgainstIt() {
    assertThat(PLANTED.keySet()).containsExactlyInAnyOrderElementsOf(Tidy.rules());
    PLANTED.forEach(this::isFound);
  }

  private void isFound(String rule, Planted planted) {
    Path root = directory.resolve(rule);
    new Plant(root).file(planted.path(), planted.text());

    assertThat(Tidy.check(root)).as(rule).anyMatch(found -> found.rule().equals(rule));
  }

  @Test
  void aViolationReadsAsFileLineRule() {
    Violation violation = new Violation(Path.of("a/B.java"), 7, "clock", "reads the clock");

    assertThat(violation).hasToString("a/B.java:7 clock: reads the clock");
  }

  @Test
  void whatABuildLeavesBehindIsNotRead() {
    new Plant(directory)
        .file("core/target/generated/A.java", "no Java")
        .file(".idea/a.xml", "<x/>")
        .file("data/segment.log", "binary");

    assertThat(SourceTree.read(directory).texts()).isEmpty();
  }

  @Test
  void theRootHoldsTheParentPom() {
    assertThat(Tidy.root()).isDirectoryContaining(path -> path.endsWith("testkit"));
    assertThat(Files.exists(Tidy.root().resolve(".mvn"))).isTrue();
  }

  private static Planted in(String path, String members) {
    return new Planted(path, "package p;\n\n/** It. */\nclass A {\n" + members + "\n}\n");
  }

  private record Planted(String path, String text) {}
}
