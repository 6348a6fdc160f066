package io.kvorum.testkit.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PurityTest {
  @TempDir Path root;
  Plant plant;

  @BeforeEach
  void plant() {
    plant = new Plant(root);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "long a = System.nanoTime();",
        "long a = java.lang.System.currentTimeMillis();",
        "LongSupplier a = System::nanoTime;",
        "Instant a = Instant.now();",
        "Object a = LocalDateTime.now();",
        "Clock a = Clock.systemUTC();",
        "Date a = new Date();"
      })
  void theClockIsNotRead(String field) {
    plant.main("A", field);

    assertThat(plant.find("clock")).hasSize(1).allMatch(found -> found.contains("A.java:5 reads"));
  }

  @Test
  void aStaticImportOfTheClockIsFound() {
    plant.file(
        "core/src/main/java/p/A.java", "package p;\nimport static java.lang.System.nanoTime;\n");

    assertThat(plant.find("clock")).hasSize(1);
  }

  @Test
  void theSystemClockTheTestKitAndTestsReadTheClock() {
    String call = "long a = System.nanoTime();";
    plant.main("SystemClock", call).mainOf("testkit", "Await", call).test("ATest", call);

    assertThat(plant.find("clock")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Random a = new Random();",
        "Object a = new java.util.SplittableRandom();",
        "double a = Math.random();",
        "int a = ThreadLocalRandom.current().nextInt();",
        "Supplier<UUID> a = UUID::randomUUID;",
        "Object a = RandomGenerator.getDefault();",
        "Object a = new SecureRandom();",
        "A(Random r) {} A() { this(new SecureRandom()); }"
      })
  void chanceDoesNotComeFromNowhere(String member) {
    plant.main("A", member);

    assertThat(plant.find("chance")).hasSize(1);
  }

  @Test
  void aSeededGeneratorIsFine() {
    plant.main("A", "Random a = new Random(7); Object b = new SplittableRandom(seed);");

    assertThat(plant.find("chance")).isEmpty();
  }

  @Test
  void secureRandomIsTheDefaultOfAConstructorArgumentWhereProcessesBegin() {
    String viaThis = "A(Random r) {} A() { this(new SecureRandom()); }";
    String viaNew = "static B of() { return new B(new Random(new SecureRandom().nextLong())); }";
    plant.mainOf("raft-node", "A", viaThis).mainOf("kv-server", "B", viaNew);
    assertThat(plant.find("chance")).isEmpty();

    plant.mainOf("raft-node", "A", "Random r = new SecureRandom();");
    assertThat(plant.find("chance"))
        .singleElement()
        .asString()
        .contains("raft-node/src/main/java/p/A.java:5 SecureRandom stands outside");
  }
}
