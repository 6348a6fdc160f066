package io.kvorum.bench.peer.kvorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the jars of a base are found, and how its servers are started with them. */
class CheckoutTest {
  private static final String FIRST = "kv-cli/target/dist/lib";
  private static final String SECOND = "benchmarks/target/dist/lib";

  @TempDir Path directory;
  private Path base = Path.of("");
  private Path own = Path.of("");

  @BeforeEach
  void makeTwo() throws IOException {
    base = Files.createDirectories(directory.resolve("base")).toRealPath();
    own = jar(directory.resolve("this"), SECOND, "benchmarks-1.jar");
  }

  @Test
  void eitherFolderOfJarsWillDoAndThatOfTheServersComesFirst() throws IOException {
    jar(base, SECOND, "kv-cli-1.jar");
    assertThat(Checkout.libraries(base, own)).isEqualTo(base.resolve(SECOND));

    jar(base, FIRST, "kv-cli-1.jar");
    assertThat(Checkout.libraries(base, own)).isEqualTo(base.resolve(FIRST));
  }

  @Test
  void aCheckoutThatIsNotBuiltIsRefused() throws IOException {
    jar(base, FIRST, "picocli-4.jar");

    assertRefused(base, "--base wants a checkout that is built: no kv-cli-*.jar in " + FIRST);
  }

  @Test
  void whatIsNoFolderIsRefused() {
    assertRefused(base.resolve("none"), "no folder " + base.resolve("none"));
    assertRefused(own, "no folder " + own);
  }

  @Test
  void theCheckoutThatWeRunFromIsRefusedUnderAnyName() throws IOException {
    Path root = directory.resolve("this");
    jar(root, FIRST, "kv-cli-1.jar");
    Path link = Files.createSymbolicLink(directory.resolve("link"), root);

    assertRefused(root, "another checkout of Kvorum, not the one that is compared: " + root);
    assertRefused(link, "another checkout of Kvorum, not the one that is compared: " + link);
  }

  @Test
  void aCheckoutThatHoldsOursIsAnotherOne() throws IOException {
    jar(base, FIRST, "kv-cli-1.jar");
    Path inside = jar(base.resolve("trees/this"), SECOND, "benchmarks-1.jar");

    assertThat(Checkout.libraries(base, inside)).isEqualTo(base.resolve(FIRST));
  }

  @Test
  void theServersOfABaseHaveItsJarsAndOfOursOnlyTheHarness() {
    Path libraries = base.resolve(FIRST);
    List<String> command = KvorumBuild.of("base", libraries).command(directory, 3);

    String classPath = command.get(command.indexOf("-cp") + 1);
    assertThat(classPath.split(File.pathSeparator, -1))
        .hasSize(2)
        .endsWith(libraries.resolve("*").toString());
    assertThat(command).endsWith(KvorumServers.class.getName(), directory.toString(), "3");
  }

  private void assertRefused(Path root, String reason) {
    assertThatThrownBy(() -> Checkout.libraries(root, own))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--base wants ")
        .hasMessageContaining(reason);
  }

  private static Path jar(Path root, String folder, String name) throws IOException {
    return Files.createFile(Files.createDirectories(root.resolve(folder)).resolve(name));
  }
}
