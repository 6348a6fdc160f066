package io.kvorum.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.testkit.tidy.Tidy;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher {@code ./kvorum}, in a small tree of its own, with a Maven and a Java that only
 * write down how they were called.
 */
class LauncherTest {
  private static final List<String> TOOLS =
      List.of(
          "bash",
          "cat",
          "dirname",
          "env",
          "find",
          "flock",
          "mkdir",
          "mv",
          "readlink",
          "rm",
          "rmdir",
          "sed",
          "sleep",
          "touch");

  private static final String MAVEN =
      """
      #!/usr/bin/env bash
      # Two of us at once would corrupt the build: the second to come finds the first one's mark.
      mkdir building || { echo 'two builds at once' >> clash; exit 1; }
      echo "$* no_build=${KVORUM_NO_BUILD:-}" >> mvn.calls
      [[ -f slow ]] && sleep 1
      rmdir building
      [[ -f broken ]] && { echo 'cannot compile'; exit 1; }
      mkdir -p kv-cli/target/dist/lib simulator/target/dist/lib
      mkdir -p benchmarks/target/dist/lib benchmarks/target/peers
      exit 0
      """;

  private static final String JAVA =
      """
      #!/usr/bin/env bash
      echo "cwd=$PWD no_build=${KVORUM_NO_BUILD:-} opts=${KVORUM_JAVA_OPTS:-}"
      printf 'arg=%s\\n' "$@"
      exit 7
      """;

  @TempDir Path directory;
  Path tree;
  Path tools;
  Path javaHome;

  @BeforeEach
  void layOut() throws IOException {
    tree = Files.createDirectories(directory.resolve("a tree")).toRealPath();
    tools = Files.createDirectories(directory.resolve("bin"));
    javaHome = directory.resolve("jdk");
    for (String tool : TOOLS) {
      executable(tools.resolve(tool), "#!/bin/sh\nexec " + find(tool) + " \"$@\"\n");
    }
    executable(tools.resolve("mvn"), MAVEN);
    executable(javaHome.resolve("bin/java"), JAVA);
    write(javaHome.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"17.0.15\"\n");
    executable(tree.resolve("kvorum"), Files.readString(Tidy.root().resolve("kvorum")));
    write(tree.resolve("pom.xml"), "<project/>");
    write(tree.resolve(".mvn/jvm.config"), "");
    write(tree.resolve("kv-cli/pom.xml"), "<project/>");
    write(tree.resolve("core/src/main/java/A.java"), "class A {}");
    write(tree.resolve("core/src/main/java/B.java"), "class B {}");
    write(tree.resolve("core/src/test/java/p/ATest.java"), "class ATest {}");
    // A file is newer than the stamp or not: what lies here is older than any build.
    age(tree.resolve("core/src"));
    age(tree.resolve("kv-cli"));
    age(tree.resolve("pom.xml"));
    age(tree.resolve(".mvn"));
  }

  @Test
  void buildsOnFirstUseAndThenRunsTheCommandAsGiven() {
    Ran ran = run("put", "a b", "$c", "");

    assertThat(ran.status()).isEqualTo(7);
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .contains("-q -B", "-pl kv-cli,simulator -am", "package");
    assertThat(ran.output())
        .contains("arg=" + tree + "/kv-cli/target/dist/lib/*\narg=io.kvorum.cli.Kvorum\n")
        .endsWith("arg=put\narg=a b\narg=$c\narg=\n");
  }

  @Test
  void onlyTheFirstBuildLeavesOutTheCompilersChecksAndTestsMakeUpForIt() throws IOException {
    run("get", "k");
    assertThat(mavenCalls().get(0)).contains("-Pquick");
    Path compiled = tree.resolve("core/target/classes/A.class");
    write(compiled, "");
    run("test");
    assertThat(compiled).doesNotExist();

    write(compiled, "");
    run("test");
    write(tree.resolve("core/src/main/java/A.java"), "class A { }");
    run("get", "k");
    assertThat(mavenCalls()).hasSize(4).last().asString().doesNotContain("-Pquick");
    run("test");
    assertThat(compiled).as("compiled with checks").exists();
  }

  @Test
  void theSimulatorComesFromTheSameBuildWithJarsOfItsOwn() {
    Ran ran = run("sim", "--runs", "3");
    run("get", "k");

    assertThat(mavenCalls()).hasSize(1);
    assertThat(ran.output())
        .contains("arg=" + tree + "/simulator/target/dist/lib/*\narg=io.kvorum.simulator.cli.Sim\n")
        .endsWith("arg=--runs\narg=3\n");
  }

  @Test
  void theBenchmarksAreBuiltOnTheirOwnAndTheirPeersFetched() throws IOException {
    write(tree.resolve("benchmarks/peers/pom.xml"), "<project/>");
    age(tree.resolve("benchmarks"));

    Ran ran = run("bench", "cluster", "--nodes", "3");
    run("bench", "--help");

    assertThat(mavenCalls())
        .hasSize(2)
        .satisfiesExactly(
            call -> assertThat(call).contains("-pl benchmarks -am", "package"),
            call -> assertThat(call).contains("-f benchmarks/peers", "${project.artifactId}"));
    assertThat(ran.output())
        .contains("arg=-Dkvorum.bench.peers=" + tree + "/benchmarks/target/peers\n")
        .contains(tree + "/benchmarks/target/dist/lib/*\narg=io.kvorum.bench.cli.Bench\n")
        .endsWith("arg=cluster\narg=--nodes\narg=3\n");
  }

  @Test
  void whoeverDoesNotMeasureDoesNotWaitForTheBenchmarks() throws IOException {
    write(tree.resolve("benchmarks/peers/pom.xml"), "<project/>");
    run("get", "k");
    write(tree.resolve("benchmarks/src/main/java/M.java"), "class M {}");

    run("get", "k");
    assertThat(mavenCalls()).hasSize(1);

    run("bench", "--help");
    assertThat(mavenCalls()).hasSize(3);
  }

  @Test
  void doesNotBuildAgainWhatIsFresh() {
    run("get", "k");
    run("get", "k");

    assertThat(mavenCalls()).hasSize(1);
  }

  @Test
  void buildsAgainWhenASourceOrAPomIsNewer() throws IOException {
    run("get", "k");
    write(tree.resolve("core/src/main/java/A.java"), "class A { int b; }");
    run("get", "k");
    run("get", "k");
    assertThat(mavenCalls()).hasSize(2);

    write(tree.resolve("kv-cli/pom.xml"), "<project> </project>");
    run("get", "k");
    assertThat(mavenCalls()).hasSize(3);
  }

  @Test
  void buildsAgainWhenASourceIsGone() throws IOException {
    run("get", "k");
    Files.delete(tree.resolve("core/src/main/java/B.java"));
    run("get", "k");

    assertThat(mavenCalls()).hasSize(2);
  }

  @Test
  void doesNotBuildAgainForATest() throws IOException {
    run("get", "k");
    write(tree.resolve("core/src/test/java/p/ATest.java"), "class ATest { }");
    run("get", "k");

    assertThat(mavenCalls()).hasSize(1);
  }

  @Test
  void aFailedBuildIsSaidAndTriedAgain() throws IOException {
    write(tree.resolve("broken"), "");
    Ran failed = run("get", "k");
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output()).contains("cannot compile", "kvorum: the build failed");

    Files.delete(tree.resolve("broken"));
    assertThat(run("get", "k").status()).isEqualTo(7);
    assertThat(mavenCalls()).hasSize(2);
  }

  @Test
  void twoAtOnceBuildOnce() throws Exception {
    write(tree.resolve("slow"), "");
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      started.add(start(tree, tree.resolve("kvorum"), Map.of(), "get", "k"));
    }
    for (Process process : started) {
      assertThat(finish(process).status()).isEqualTo(7);
    }

    assertThat(mavenCalls()).hasSize(1);
    assertThat(tree.resolve("clash")).doesNotExist();
  }

  @Test
  void runsFromElsewhereAndThroughLinksInTheCallersDirectory() throws Exception {
    Path elsewhere = Files.createDirectories(directory.resolve("else where")).toRealPath();
    Path link = Files.createSymbolicLink(elsewhere.resolve("kv"), Path.of("hop"));
    Files.createSymbolicLink(elsewhere.resolve("hop"), tree.resolve("kvorum"));

    Ran ran = finish(start(elsewhere, link, Map.of(), "import", "file.csv"));

    assertThat(ran.output())
        .contains("cwd=" + elsewhere + " ", "arg=" + tree + "/kv-cli/target/dist/lib/*")
        .endsWith("arg=import\narg=file.csv\n");
    assertThat(elsewhere.resolve("kv-cli")).doesNotExist();
  }

  @Test
  void shortCommandsStartFastAndServersRunLong() throws IOException {
    assertThat(run("get", "k").output())
        .contains("arg=-Xshare:auto", "arg=-XX:+UseSerialGC", "arg=-XX:TieredStopAtLevel=1")
        .doesNotContain("SharedArchiveFile");
    assertThat(run("server").output())
        .contains("arg=-XX:+ExitOnOutOfMemoryError", "arg=-Xmx512m")
        .doesNotContain("TieredStopAtLevel");

    write(tree.resolve("kv-cli/target/dist/kvorum.jsa"), "");
    assertThat(run("get", "k").output())
        .contains("arg=-XX:SharedArchiveFile=" + tree + "/kv-cli/target/dist/kvorum.jsa");
  }

  @Test
  void theUsersJvmOptionsComeLastAndStayWithTheLauncher() throws Exception {
    Ran ran = run(Map.of("KVORUM_JAVA_OPTS", "-Xmx2g  -Da=b"), "server");

    assertThat(ran.output()).contains("opts=\n").contains("arg=-Xmx2g\narg=-Da=b\narg=-cp\n");
    assertThat(ran.output().indexOf("-Xmx2g")).isGreaterThan(ran.output().indexOf("-Xmx512m"));
  }

  @Test
  void withoutBuildingItRunsWhatThereIsOrSaysThatThereIsNothing() throws Exception {
    Ran nothing = run(Map.of("KVORUM_NO_BUILD", "1"), "get", "k");
    assertThat(nothing.status()).isEqualTo(1);
    assertThat(nothing.output()).contains("KVORUM_NO_BUILD is set, but nothing is built");

    Files.createDirectories(tree.resolve("kv-cli/target/dist/lib"));
    Ran there = run(Map.of("KVORUM_NO_BUILD", "1"), "get", "k");
    assertThat(there.status()).isEqualTo(7);
    assertThat(there.output()).as("what it starts builds nothing either").contains("no_build=1");
    assertThat(tree.resolve("mvn.calls")).doesNotExist();
  }

  @Test
  void saysWhichJavaIsTooOldOrMissing() throws Exception {
    write(javaHome.resolve("release"), "JAVA_VERSION=\"1.8.0_402\"\n");
    Ran old = run("get", "k");
    assertThat(old.status()).isEqualTo(1);
    assertThat(old.output()).contains("is Java 1.8.0_402; Kvorum needs 17 or newer");

    Ran gone = run(Map.of("JAVA_HOME", "/gone"), "get", "k");
    assertThat(gone.output()).contains("JAVA_HOME is /gone, but there is no bin/java in it");

    Ran none = run(Map.of("JAVA_HOME", ""), "test");
    assertThat(none.output()).contains("no java found");
  }

  @Test
  void saysThatMavenIsMissingOnlyWhenItIsNeeded() throws IOException {
    run("get", "k");
    Files.delete(tools.resolve("mvn"));
    assertThat(run("get", "k").status()).isEqualTo(7);

    write(tree.resolve("core/src/main/java/A.java"), "class A { }");
    Ran ran = run("get", "k");
    assertThat(ran.status()).isEqualTo(1);
    assertThat(ran.output()).contains("no mvn found");
  }

  @Test
  void testRunsAllThatCiRuns() {
    assertThat(run("test").status()).isZero();
    assertThat(run("check").status()).isZero();

    assertThat(mavenCalls()).containsExactly("-B verify no_build=1", "-B verify no_build=1");
  }

  @Test
  void testReplaysOneSeedOfOneTest() {
    assertThat(run("test", "--seed", "-42", "--only", "ATest").status()).isZero();
    assertThat(run("test", "--only", "ATest#name", "--seeds", "1000").status()).isZero();

    assertThat(mavenCalls().get(0))
        .startsWith("-B verify -Dtest=ATest ")
        .contains("-Dit.test=ATest ", "-Dkvorum.seed=-42 ", "-Dkvorum.seeds=1 ");
    assertThat(mavenCalls().get(1))
        .contains("-Dtest=ATest#name ", "-Dkvorum.seeds=1000 ")
        .doesNotContain("-Dkvorum.seed=");
  }

  @Test
  void whatWouldTestNothingIsRefused() {
    for (String[] arguments :
        new String[][] {
          {"test", "--only", "GoneTest"},
          {"test", "--only", "*"},
          {"test", "--only"},
          {"test", "--seed", "x"},
          {"test", "--seeds", "0"},
          {"test", "ATest"},
          {"test", "--what", "x"},
          {"golden"},
          {"golden", "--update", "ATest"}
        }) {
      Ran ran = run(arguments);
      assertThat(ran.status()).as(String.join(" ", arguments)).isEqualTo(2);
      assertThat(ran.output()).startsWith("kvorum: ");
    }
    assertThat(tree.resolve("mvn.calls")).doesNotExist();
  }

  @Test
  void goldenRecordsAnewAndFixFormats() {
    assertThat(run("golden", "--update").status()).isZero();
    assertThat(run("fix").status()).isZero();

    assertThat(mavenCalls())
        .containsExactly(
            "-B test -Dgolden.update=true no_build=1", "-B -q -N spotless:apply no_build=1");
  }

  @Test
  void helpNeedsNothing() throws Exception {
    Ran ran = run(Map.of("JAVA_HOME", "/gone"), "help");

    assertThat(ran.status()).isZero();
    assertThat(ran.output()).startsWith("Usage: ./kvorum").contains("golden --update", "--seed N");
  }

  private List<String> mavenCalls() {
    try {
      return Files.readAllLines(tree.resolve("mvn.calls"));
    } catch (IOException e) {
      throw new AssertionError("mvn was not called", e);
    }
  }

  private Ran run(String... arguments) {
    try {
      return run(Map.of(), arguments);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private Ran run(Map<String, String> environment, String... arguments) throws Exception {
    return finish(start(tree, tree.resolve("kvorum"), environment, arguments));
  }

  private Process start(
      Path workingDirectory, Path script, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> all = new HashMap<>();
    all.put("PATH", tools.toString());
    all.put("JAVA_HOME", javaHome.toString());
    all.putAll(environment);
    builder.environment().clear();
    builder.environment().putAll(all);
    return builder
        .directory(workingDirectory.toFile())
        .redirectErrorStream(true)
        .redirectInput(new File("/dev/null"))
        .start();
  }

  private static Ran finish(Process process) throws Exception {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Ran(process.exitValue(), output);
  }

  private static Path find(String tool) {
    for (String path : System.getenv("PATH").split(File.pathSeparator, -1)) {
      if (Files.isExecutable(Path.of(path, tool))) {
        return Path.of(path, tool);
      }
    }
    throw new AssertionError("this machine has no " + tool);
  }

  private static void executable(Path file, String text) throws IOException {
    write(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private static void age(Path start) throws IOException {
    try (var files = Files.walk(start)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
      }
    }
  }

  private record Ran(int status, String output) {}
}
