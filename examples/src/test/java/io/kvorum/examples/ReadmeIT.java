package io.kvorum.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.simulator.run.KeptSeeds;
import io.kvorum.testkit.Await;
import io.kvorum.testkit.tidy.Tidy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs what the README says, as a newcomer would: each command as it stands there, each Java block
 * as part of a program, the Maven snippet in a project of its own.
 */
class ReadmeIT {
  private static final Duration LIMIT = Duration.ofMinutes(12);
  private static final Path ROOT = Tidy.root();
  private static final String AGAINST_THE_CLUSTER =
      "put|get|range|watch|status|members|lock|elect|registry|backup|verify|restore";

  @TempDir Path work;

  /** A fenced block: its language and its lines. */
  private record Block(String language, List<String> lines) {}

  /** What a command printed, and its exit code. */
  private record Ran(int exitCode, String output) {}

  private static List<Block> blocks() throws IOException {
    List<Block> blocks = new ArrayList<>();
    List<String> open = null;
    String language = "";
    for (String line : Files.readAllLines(ROOT.resolve("README.md"))) {
      if (line.startsWith("```") && open == null) {
        language = line.substring(3);
        open = new ArrayList<>();
      } else if (line.startsWith("```")) {
        blocks.add(new Block(language, open));
        open = null;
      } else if (open != null) {
        open.add(line);
      }
    }
    return blocks;
  }

  /** Commands of the shell blocks, a backslash at the end joining lines. */
  private static List<String> commands() throws IOException {
    return blocks().stream()
        .filter(block -> block.language().equals("sh"))
        .flatMap(block -> Stream.of(String.join("\n", block.lines()).split("(?<!\\\\)\n")))
        .map(command -> command.replace("\\\n", " ").strip())
        .toList();
  }

  private static String only(Predicate test) throws IOException {
    List<String> found = commands().stream().filter(test::holds).toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private interface Predicate {
    boolean holds(String command);
  }

  /** Runs a command of the README in the temporary folder, with the launcher of this tree. */
  private Process start(String command) throws IOException {
    String line = command.replace("./kvorum", ROOT.resolve("kvorum").toString());
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", "exec " + line);
    builder.environment().put("KVORUM_NO_BUILD", "1");
    return builder
        .directory(work.toFile())
        .redirectErrorStream(true)
        .redirectOutput(Files.createTempFile(work, "output", ".txt").toFile())
        .start();
  }

  private Ran run(Path directory, Map<String, String> environment, String... command)
      throws Exception {
    Path output = Files.createTempFile(work, "output", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process process =
        builder
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly();
    }
    String text = Files.readString(output, UTF_8);
    assertThat(ended).as("%s ended in time; it printed %s", List.of(command), text).isTrue();
    return new Ran(process.exitValue(), text);
  }

  private Ran run(String command) throws Exception {
    String line = command.replace("./kvorum", ROOT.resolve("kvorum").toString());
    return run(work, Map.of("KVORUM_NO_BUILD", "1"), "bash", "-c", line);
  }

  /** What all commands so far have printed. */
  private String printed() throws IOException {
    StringBuilder printed = new StringBuilder();
    try (Stream<Path> files = Files.list(work)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".txt")).toList()) {
        printed.append(Files.readString(file));
      }
    }
    return printed.toString();
  }

  @Test
  void everyBlockIsOfAKindThatIsRun() throws IOException {
    assertThat(blocks()).extracting(Block::language).containsOnly("sh", "java", "xml", "yaml");
    assertThat(commands())
        .allMatch(
            command ->
                command.matches(
                    "\\./kvorum (demo|up|put|get|range|watch|status|members|server|test|sim)\\b.*"
                        + "|\\./kvorum (lock|elect|registry|backup|verify|restore) .*"
                        + "|echo .* \\| \\./kvorum shell"
                        + "|mvn .* install"));
  }

  @Test
  void theDemoEndsWell() throws Exception {
    Ran demo = run(only(command -> command.startsWith("./kvorum demo")));
    assertThat(demo.exitCode()).as(demo.output()).isZero();
    assertThat(demo.output().strip().lines().reduce((first, last) -> last).orElseThrow())
        .matches(
            "demo: OK records=10000 acknowledged=\\d+ lost=0 stale=0 failover_ms=\\d+"
                + " puts_per_s=\\d+");
  }

  @Test
  void theSimulatedRunsKeepAllPromises() throws Exception {
    Ran sim = run(only(command -> command.startsWith("./kvorum sim")));
    assertThat(sim.exitCode()).as(sim.output()).isZero();
    int runs = KeptSeeds.all().size() + 20;
    assertThat(sim.output().strip().lines().reduce((first, last) -> last).orElseThrow())
        .matches("sim: OK runs=" + runs + " events=\\d+ violations=0 seconds=\\d+");
  }

  @Test
  void theClusterAnswersAsTheReadmeSays() throws Exception {
    Process up = start(only(command -> command.startsWith("./kvorum up")));
    try {
      // Exit code 1: there is no such key, says a cluster that serves.
      Await.until("a cluster", LIMIT, () -> run("./kvorum get no-such-key").exitCode() == 1);
      String answers = "";
      for (String command : commands()) {
        if (command.matches("\\./kvorum (" + AGAINST_THE_CLUSTER + ")\\b.*|echo .*")) {
          Ran ran = run(command);
          assertThat(ran.exitCode()).as("%s: %s", command, ran.output()).isZero();
          answers += command + " -> " + ran.output();
        }
      }
      assertThat(answers)
          .contains("get config/color -> green")
          .contains("get config/color --rev 2 -> blue")
          .containsPattern("I hold token \\d+")
          .containsPattern("I lead term \\d+")
          .contains("-> registered")
          .containsPattern("backup: OK [^\n]*\n")
          .containsPattern("verify: OK [^\n]*\n")
          .containsPattern("restore: OK [^\n]*\n")
          .contains("kvorum shell -> green");
      runsTheRemoteExamples();
    } finally {
      up.destroy();
      assertThat(up.waitFor(60, TimeUnit.SECONDS)).as("the cluster ended").isTrue();
    }
  }

  private static void runsTheRemoteExamples() {
    String[] endpoints = {"127.0.0.1:7400,127.0.0.1:7401,127.0.0.1:7402"};
    RemoteClient.main(endpoints);
    CarefulClient.main(endpoints);
    SafeReport.main(endpoints);
  }

  @Test
  void theServerStartsWithTheFlagsShown() throws Exception {
    String shown = only(command -> command.startsWith("./kvorum server"));
    serves(here(shown));
  }

  @Test
  void theServerStartsWithTheFileShown() throws Exception {
    Path file = Files.writeString(work.resolve("server.yaml"), here(text("yaml")));
    serves("./kvorum server --config " + file);
  }

  /** The same on this machine. */
  private String here(String shown) {
    String here =
        shown
            .replace("/var/lib/kvorum", work.toString())
            .replace("10.0.0.1:7400:7500", "127.0.0.1:17400:17500")
            .replaceAll("10\\.0\\.0\\.([23]):7400:7500", "127.0.0.1:1740$1:1750$1");
    assertThat(here).doesNotContain("10.0.0");
    return here;
  }

  private void serves(String command) throws Exception {
    Process server = start(command);
    try {
      Await.until(
          "the node to say that it is ready",
          LIMIT,
          () -> printed().contains("ready node=n1 cluster=kvorum"));
    } finally {
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).as("the server ended").isTrue();
    }
  }

  @Test
  void theJavaBlocksStandInTheExamplesAndHaveTheirImports() throws IOException {
    for (QuotedCode block : QuotedCode.of("README.md")) {
      block.check();
    }
  }

  @Test
  void theExamplesOfSeveralNodesRun() {
    EmbeddedNode.main(new String[] {work.resolve("embedded").toString()});
    ThreeNodes.main(new String[] {work.resolve("three").toString(), "17600"});
  }

  @Test
  void aProjectWithTheMavenSnippetCompilesAndRunsTheEmbeddedBlock() throws Exception {
    // The build of the README goes into a repository of its own, so that none of ours changes.
    Path tree = work.resolve("tree");
    Path repository = work.resolve("repository");
    Files.createDirectories(tree);
    assertThat(run(ROOT, Map.of(), "bash", "-c", copyOfTheTree(tree)).exitCode()).isZero();
    String localRepository = System.getProperty("user.home") + "/.m2/repository";
    String copy =
        "cp -al '%1$s' '%2$s' 2>/dev/null || { rm -rf '%2$s'; cp -a '%1$s' '%2$s'; };"
            + " rm -rf '%2$s/io/kvorum'";
    assertThat(
            run(ROOT, Map.of(), "bash", "-c", copy.formatted(localRepository, repository))
                .exitCode())
        .isZero();
    Map<String, String> maven = Map.of("MAVEN_OPTS", "-Dmaven.repo.local=" + repository);
    Ran install = run(tree, maven, "bash", "-c", only(command -> command.startsWith("mvn ")));
    assertThat(install.exitCode()).as(install.output()).isZero();

    Path project = Files.createDirectories(work.resolve("project"));
    writeProject(project);
    Ran compile =
        run(
            project,
            maven,
            "mvn",
            "-q",
            "-B",
            "compile",
            "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies");
    assertThat(compile.exitCode()).as(compile.output()).isZero();
    Ran program =
        run(project, Map.of(), "java", "-cp", "target/classes:target/dependency/*", "Main");
    assertThat(program.exitCode()).as(program.output()).isZero();
    assertThat(program.output()).contains("green").contains("blue");
  }

  private static String copyOfTheTree(Path target) {
    return "git ls-files -z 2>/dev/null | xargs -0 cp --parents -t '" + target + "'";
  }

  private void writeProject(Path project) throws IOException {
    String dependency = text("xml");
    QuotedCode block = QuotedCode.of("README.md").get(0);
    String imports =
        block.imports().stream().map("import %s;%n"::formatted).collect(Collectors.joining());
    String code = block.code().replace("directory", "java.nio.file.Path.of(\"data\")");
    Files.createDirectories(project.resolve("src/main/java"));
    Files.writeString(
        project.resolve("src/main/java/Main.java"),
        imports + "class Main { public static void main(String[] args) {\n" + code + "\n} }\n");
    Files.writeString(
        project.resolve("pom.xml"),
        "<project><modelVersion>4.0.0</modelVersion><groupId>newcomer</groupId>"
            + "<artifactId>newcomer</artifactId><version>1</version><properties>"
            + "<maven.compiler.release>17</maven.compiler.release>"
            + "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>"
            + "<dependencies>"
            + dependency
            + "</dependencies><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>"
            + "<artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>"
            + "</plugins></build></project>");
  }

  /** The first block of that language. */
  private static String text(String language) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("README.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }
}
