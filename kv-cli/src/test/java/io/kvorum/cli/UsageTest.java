package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Help, version, and what is said to wrong usage. */
class UsageTest {
  private static final List<String> COMMANDS =
      List.of(
          "server",
          "up",
          "demo",
          "put",
          "get",
          "del",
          "range",
          "status",
          "members",
          "recover",
          "doctor",
          "log",
          "snapshot",
          "import",
          "export",
          "txn",
          "watch",
          "lease",
          "compact",
          "quota",
          "shell",
          "lock",
          "elect",
          "registry");

  private final CommandLineHarness kvorum = new CommandLineHarness();

  @Test
  void theListOfCommandsNamesAllOfThem() {
    assertThat(kvorum.run("--help")).isZero();
    assertThat(kvorum.out()).contains(COMMANDS);
    assertThat(kvorum.run("--version")).isZero();
    assertThat(kvorum.out()).startsWith("kvorum ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server",
        "up",
        "demo",
        "put",
        "get",
        "del",
        "range",
        "status",
        "members list",
        "members add",
        "members remove",
        "members promote",
        "members replace",
        "members transfer",
        "recover",
        "doctor",
        "log verify",
        "log dump",
        "snapshot inspect",
        "import",
        "export",
        "txn",
        "watch",
        "lease grant",
        "compact",
        "shell",
        "lock",
        "elect",
        "registry register",
        "registry list",
        "registry watch"
      })
  void theHelpOfEveryCommandListsTheExitCodes(String command) {
    assertThat(kvorum.run((command + " --help").split(" "))).isZero();
    assertThat(kvorum.out())
        .startsWith("Usage: ")
        .contains("kvorum " + command)
        .contains("Exit codes:")
        .containsPattern("0 +done")
        .containsPattern("1 +not found")
        .containsPattern("2 +wrong usage")
        .containsPattern("3 +unavailable")
        .containsPattern("4 +outcome unknown")
        .containsPattern("5 +rejected");
    assertThat(kvorum.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "--nonsense",
        "put",
        "put k",
        "put k v more",
        "put k v --nonsense",
        "put --hex k v",
        "put --hex --base64 6b 6b",
        "get",
        "get k --rev=x",
        "get k -o xml",
        "get k --timeout 5",
        "get k --timeout 0s",
        "range --limit=x",
        "range a b",
        "import",
        "import file-without-ending",
        "import x.csv --format xml",
        "export a b",
        "status extra",
        "members",
        "members nonsense",
        "members add",
        "members add n2=h:1",
        "members replace n1",
        "members remove n1 --wait=9000m",
        "recover",
        "recover --data-dir=x --node-id=n1 --yes-lose-acknowledged-writes",
        "recover --data-dir=x --node-id=n1 --new-cluster-id=a/b",
        "up --nodes=-1",
        "up --nodes=10",
        "up --port=70000",
        "up extra",
        "demo extra",
        "shell extra",
        "lock",
        "lock l --ttl=5",
        "elect e",
        "elect e v --observe",
        "elect e --observe --max-events=0",
        "registry",
        "registry register s i/j a",
        "registry register s/t i a --meta=x",
        "registry list",
        "shell -o json",
        "server --nonsense=1",
        "server --node-id=bad"
      })
  void wrongUsageIsExitCodeTwoAndNothingIsDone(String line) {
    String[] arguments = line.isEmpty() ? new String[0] : line.split(" ");
    assertThat(kvorum.run(arguments)).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.out()).isEmpty();
    assertThat(kvorum.err()).startsWith("kvorum").contains(" --help");
    assertThat(kvorum.client.puts()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "doctor",
        "log",
        "log verify",
        "log dump x --from=0",
        "log dump x --limit=0",
        "snapshot inspect",
        "snapshot now"
      })
  void soItIsForWhatLooksAtDirectories(String line) {
    wrongUsageIsExitCodeTwoAndNothingIsDone(line);
  }

  @Test
  void theServerGetsItsFlagsByName() {
    assertThat(kvorum.run("server", "--node-id", "n2", "--members=n2=h:1:2"))
        .isEqualTo(ExitCode.NODE_STOPPED);
    assertThat(kvorum.serverFlags).isEqualTo(Map.of("node-id", "n2", "members", "n2=h:1:2"));
    assertThat(kvorum.run("server")).isEqualTo(ExitCode.NODE_STOPPED);
    assertThat(kvorum.serverFlags).isEmpty();
  }

  @Test
  void aMissingFileIsNamed(@TempDir Path directory) {
    String missing = directory.resolve("missing.csv").toString();
    assertThat(kvorum.run("import", missing)).isEqualTo(ExitCode.LOCAL);
    assertThat(kvorum.err()).contains(missing).hasLineCount(1);
  }

  /** Somebody who says 0 does not mean the newest one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "restore x --dir=y --at-revision=0",
        "restore x --dir=y --at-revision=-1",
        "fork --dir=y --at=0"
      })
  void revisionsBeginWithOne(String line) {
    assertThat(kvorum.run(line.split(" ", -1))).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("is at least 1");
  }
}
