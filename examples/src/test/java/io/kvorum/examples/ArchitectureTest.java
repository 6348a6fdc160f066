package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.kvorum.testkit.tidy.Tidy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds the arrows between the modules, over what was compiled of all of them. */
class ArchitectureTest {
  private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");
  private static final Architecture ARCHITECTURE = new Architecture("io.kvorum");

  private static JavaClasses classes;

  @BeforeAll
  static void read() {
    List<Path> directories =
        Architecture.PACKAGES.keySet().stream().map(ArchitectureTest::compiled).toList();
    classes = new ClassFileImporter().importPaths(directories);
  }

  @Test
  void everyModuleIsKnownHere() throws IOException {
    String pom = Files.readString(Tidy.root().resolve("pom.xml"));
    List<String> modules = MODULE.matcher(pom).results().map(found -> found.group(1)).toList();

    assertThat(Architecture.PACKAGES.keySet()).containsExactlyInAnyOrderElementsOf(modules);
  }

  /** On no classes every rule would hold. */
  @Test
  void everyModuleHasClassesAndOnlyInItsOwnPackages() {
    Architecture.PACKAGES.forEach(
        (module, packages) -> {
          Path directory = compiled(module);
          assertThat(directory).as("compiled classes; run ./kvorum test").isDirectory();
          JavaClasses own = new ClassFileImporter().importPath(directory);
          assertThat(own).as("classes of " + module).isNotEmpty();
          assertThat(own).allMatch(type -> isIn(packages, type), "is in " + packages);
        });
  }

  @Test
  void arrowsPointOneWay() {
    ARCHITECTURE.arrowsPointOneWay().check(classes);
  }

  @Test
  void theCoreDependsOnNothing() {
    ARCHITECTURE.theCoreDependsOnNothing().check(classes);
  }

  @Test
  void onlyTheDiskTouchesFiles() {
    ARCHITECTURE.onlyTheDiskTouchesFiles().check(classes);
  }

  @Test
  void onlyTransportsUseSockets() {
    ARCHITECTURE.onlyTransportsUseSockets().check(classes);
  }

  @Test
  void rocksDbStandsInOnePackage() {
    ARCHITECTURE.rocksDbStandsInOnePackage().check(classes);
  }

  @Test
  void packagesAreFreeOfCycles() {
    ARCHITECTURE.packagesAreFreeOfCycles().check(classes);
  }

  @Test
  void theApiNamesNoDependency() {
    ARCHITECTURE.theApiNamesNoDependency().check(classes);
  }

  @Test
  void onlyTheSystemClockReadsTheClock() {
    ARCHITECTURE.onlyTheSystemClockReadsTheClock().check(classes);
  }

  @Test
  void productionKnowsNoTests() {
    ARCHITECTURE.productionKnowsNoTests().check(classes);
  }

  private static boolean isIn(List<String> packages, JavaClass type) {
    String name = type.getPackageName() + ".";
    return packages.stream().anyMatch(each -> name.startsWith("io.kvorum." + each + "."));
  }

  private static Path compiled(String module) {
    return Tidy.root().resolve(module).resolve("target/classes");
  }
}
