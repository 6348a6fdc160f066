package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestHabitsTest {
  private static final String TEST = "core/src/test/java/p/ATest.java";

  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant = new Plant(root);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Thread.sleep(1);",
        "java.lang.Thread.sleep(1);",
        "TimeUnit.SECONDS.sleep(1);",
        "SECONDS.sleep(1);",
        "sleep(1);",
        "run(() -> Thread.sleep(1));"
      })
  void aTestDoesNotSleep(String statement) {
    plant.test("ATest", "void m() {\n" + statement + "\n}");

    assertThat(plant.find("test-sleeps"))
        .containsExactly(TEST + ":6 sleeps; wait for a condition with Await");
  }

  @Test
  void onlyTestsAreAskedNotToSleep() {
    plant
        .main("A", "void m() { Thread.sleep(1); }")
        .test("ATest", "String s = \"Thread.sleep(1)\";");

    assertThat(plant.find("test-sleeps")).isEmpty();
  }

  @Test
  void aTestDoesNotMock() {
    plant.file(
        TEST, "package p;\nimport java.util.List;\nimport static org.mockito.Mockito.mock;\n");

    assertThat(plant.find("test-mocks"))
        .containsExactly(TEST + ":3 mocks its neighbours: org.mockito.Mockito.mock");
  }

  @Test
  void aTestIsNotSwitchedOff() {
    plant.test(
        "ATest", "@Disabled(\"flaky\")\nvoid m() {}\n@org.junit.jupiter.api.Disabled\nclass B {}");

    assertThat(plant.find("test-disabled"))
        .containsExactly(
            TEST + ":5 switched off; mend it or delete it",
            TEST + ":7 switched off; mend it or delete it");
  }
}
