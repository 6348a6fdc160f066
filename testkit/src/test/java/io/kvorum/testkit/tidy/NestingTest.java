package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NestingTest {
  @TempDir Path root;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "if (a) { for (;;) { while (b) { c(); } } }",
        "if (a) { b(); } else if (c) { d(); } else if (e) { f(); } else if (g) { h(); }",
        "switch (a) { case 1 -> { if (b) { if (c) { d(); } } } default -> {} }",
        "if (a) { if (b) { c(() -> { d(); }); } }",
        "if (a) { if (b) { if (c) { d(() -> e(() -> f())); } } }",
        "if (a) { if (b) { if (c) { new R() { void m() { if (d) { e(); } } }; } } }",
        "try { if (a) { if (b) { c(); } } } catch (E e) { if (a) { if (b) { c(); } } }"
      })
  void threeLevelsAreFine(String body) {
    assertThat(find(body)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "if (a) { for (;;) { while (b) { if (c) { d(); } } } }",
        "if (a) for (;;) while (b) if (c) d();",
        "if (a) { b(); } else { if (c) { if (d) { if (e) { f(); } } } }",
        "if (a) { for (var x : y) { do { { b(); } } while (c); } }",
        "try { if (a) { synchronized (b) { if (c) { d(); } } } } finally { e(); }",
        "try { a(); } finally { if (b) { if (c) { if (d) { e(); } } } }",
        "switch (a) { case 1: if (b) { if (c) { if (d) { e(); } } } }",
        "int x = switch (a) { default -> { if (b) { if (c) { if (d) { e(); } } } yield 1; } };",
        "if (a) { if (b) { if (c) { d(() -> { e(); }); } } }",
        "a(() -> { b(() -> { c(() -> { d(() -> { e(); }); }); }); });",
        "while (a(() -> { if (b) { if (c) { if (d) { e(); } } } })) { f(); }"
      })
  void fourLevelsAreNot(String body) {
    assertThat(find(body))
        .containsExactly("core/src/main/java/p/A.java:6 nested 4 deep, at most 3");
  }

  @Test
  void lambdasOutsideOfMethodsCountFromTheirField() {
    Plant plant = new Plant(root);
    plant.main("A", "R r = () -> { if (a) { if (b) { if (c) { d(); } } } };");

    assertThat(plant.find("nesting")).hasSize(1);
  }

  private java.util.List<String> find(String body) {
    return new Plant(root).main("A", "void m() {\n" + body + "\n}").find("nesting");
  }
}
