package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatchesTest {
  private static final String MAIN = "core/src/main/java/p/A.java";

  @TempDir Path root;

  @Test
  void aCatchDoesSomething() {
    assertThat(find("empty-catch", "catch (E e) { throw e; }")).isEmpty();
    assertThat(find("empty-catch", "catch (E e) { // It was closed.\n }"))
        .containsExactly(MAIN + ":7 does nothing about what it caught");
  }

  @Test
  void catchingEverythingIsExplainedOnTheNextLine() {
    assertThat(
            find("catch-throwable", "catch (Throwable e) {\n  // The loop ends here.\n stop(); }"))
        .isEmpty();
    assertThat(find("catch-throwable", "catch (E e) {\n stop(); }")).isEmpty();
    assertThat(find("catch-throwable", "catch (Throwable e) {\n stop(); }"))
        .containsExactly(MAIN + ":7 catches everything; say why in a sentence on the next line");
    assertThat(find("catch-throwable", "catch (final Throwable e) {\n  // stop\n stop(); }"))
        .hasSize(1);
  }

  private List<String> find(String rule, String caught) {
    String method = "void m() {\ntry { n(); }\n" + caught + "\n}";
    return new Plant(root).main("A", method).find(rule);
  }
}
