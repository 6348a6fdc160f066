package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.server.KvNode;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.net.Ports;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a running cluster to a backup, and from there to a new one; on RocksDB and real sockets. */
class BackupCommandsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path directory;
  private final CommandLineHarness kvorum = new CommandLineHarness().remote();

  private KvNode start(String data, String cluster, Member member) {
    kvorum.environment.put("KVORUM_ENDPOINTS", member.host() + ":" + member.clientPort());
    return KvNode.start(config(data, cluster, member, List.of(member)));
  }

  private static void awaitLeader(KvNode node) {
    Await.until("it leads", LIMIT, () -> node.status().join().role().equals("leader"));
  }

  private ServerConfig config(String data, String cluster, Member self, List<Member> members) {
    return ServerConfig.embedded(directory.resolve(data))
        .clusterId(cluster)
        .nodeId(self.id().name())
        .members(members)
        .segmentBytes(8 << 20)
        .clientPortOpen(true)
        .archive(new ServerConfig.Archive(directory.resolve("archive"), Duration.ofMillis(20)))
        .build();
  }

  private static List<Member> members(int count) {
    List<Integer> ports = Ports.free(2 * count, ProcessHandle.current().pid());
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String address = "127.0.0.1:" + ports.get(2 * i) + ":" + ports.get(2 * i + 1);
      members.add(Member.parse("n" + (i + 1) + "=" + address));
    }
    return members;
  }

  /** The words of a command line; with an @ begins what lies in this test's directory. */
  private String[] words(String line) {
    return line.replace("@", directory + "/").split(" ");
  }

  private String ok(String line) {
    assertThat(kvorum.run(words(line))).as(kvorum.err() + kvorum.out()).isZero();
    return kvorum.out();
  }

  private String failed(String line) {
    assertThat(kvorum.run(words(line))).as(kvorum.out()).isEqualTo(ExitCode.FAILED);
    return kvorum.out();
  }

  @Test
  void aClusterComesBackFromItsBackup() throws IOException {
    Member member = members(1).get(0);
    String self = " --members " + member.id() + "=" + member.address();
    try (KvNode node = start("old", "old", member)) {
      awaitLeader(node);
      ok("put a 1");
      backUp();
    }
    assertThat(failed("backup --to @b3")).startsWith("backup: FAILED unavailable");
    verifies();
    try (KvNode node = start("new", restored(self), member)) {
      awaitLeader(node);
      ok("put c 3");
      assertThat(ok("get a")).isEqualTo("one\n");
      assertThat(kvorum.run("get", "b")).isEqualTo(ExitCode.NOT_FOUND);
      assertThat(kvorum.run("get", "a", "--rev", "5")).isEqualTo(ExitCode.REJECTED);
      assertThat(kvorum.err()).contains("compacted");
      assertThat(ok("status -o json")).contains("\"revision\":1000000006");
    }
    assertThat(failed("restore @b2 --dir @new")).contains("is not empty");
    ok("restore @b2 --dir @then --at-revision 3 --bump-revision 0 --cluster-id then" + self);
    for (String past : List.of("then", "fork")) {
      try (KvNode node = start(past, past, member)) {
        awaitLeader(node);
        assertThat(ok("range --from a")).isEqualTo("a\t1\nb\t2\n");
        assertThat(ok("range --from a --rev 2")).isEqualTo("a\t1\n");
      }
    }
    assertThat(ok("restore @b2 --dir @late --archive @archive --at-revision 6 --bump-revision 0"))
        .contains("revision 6,");
    refusals();
  }

  private void backUp() {
    ok("put b 2");
    assertThat(ok("snapshot")).containsPattern("n1 +0{15}\\d{5}-\\d+ +\\d+ +\\d+ +3 ");
    assertThat(ok("backup --to @b1")).startsWith("backup: OK ").contains("revision 3");
    assertThat(failed("backup --to @b1")).startsWith("backup: FAILED ");
    ok("put a one");
    ok("del b");
    fork();
    assertThat(directory.resolve("fork.fetched")).doesNotExist();
    String second = ok("backup --to @b2 --incremental-from @b1");
    assertThat(second).contains("revision 5");
    assertThat(fetched(second)).isLessThan(bytes(second));
    ok("put late x");
    ok("put later x");
    String reaches = "restore @b2 --archive @archive --at-revision 7 --dir @has";
    Await.until("it is archived", LIMIT, () -> kvorum.run(words(reaches)) == 0);
  }

  /** The older one is not needed; the newer one holds what was before, and is only read. */
  private void verifies() throws IOException {
    deleteTree(directory.resolve("b1"));
    List<String> before = listing(directory.resolve("b2"));
    assertThat(ok("verify @b2")).startsWith("verify: OK ").contains("revisions 1 to 5");
    assertThat(listing(directory.resolve("b2"))).isEqualTo(before);
  }

  /** The id of the new cluster. */
  private String restored(String self) {
    String restored = ok("restore @b2 --dir @new" + self);
    assertThat(restored.lines().toList().get(1)).startsWith("restore: OK ");
    String cluster = restored.replaceAll("(?s).*--cluster-id (\\S+) .*", "$1");
    assertThat(cluster).matches("r-[0-9a-f]{16}");
    return cluster;
  }

  private void refusals() throws IOException {
    assertThat(failed("restore @b2 --dir @no --at-revision 6"))
        .contains("it holds the revisions 1 to 5");
    assertThat(failed("restore @b2 --dir @no --archive @archive --at-time 2990-01-01T00:00:00Z"))
        .contains("the archive ends with");
    assertThat(kvorum.run(words("restore @b2 --dir @no --at-time 2990-01-01T00:00:00Z")))
        .isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run(words("restore @b2 --dir @no --cluster-id old")))
        .isEqualTo(ExitCode.USAGE);
    damage(directory.resolve("b2"));
    assertThat(failed("verify @b2")).startsWith("verify: FAILED ").contains(".sst", "offset");
    assertThat(failed("restore @b2 --dir @no")).contains(".sst");
    assertThat(directory.resolve("no")).doesNotExist();
    assertThat(failed("verify @nothing")).contains("is no directory");
  }

  /** Each of them holds everything, and any may lead; a fourth one joins by a snapshot. */
  @Test
  void threeFoundersAreOneGroup() {
    List<Member> four = members(4);
    List<Member> three = four.subList(0, 3);
    try (KvNode node = start("old", "old", three.get(0))) {
      awaitLeader(node);
      ok("put a 1");
      ok("backup --to @b");
    }
    String list = String.join(",", three.stream().map(m -> m.id() + "=" + m.address()).toList());
    List<KvNode> nodes = new ArrayList<>();
    try {
      for (Member each : three) {
        String own = " --dir @%1$s --node-id %1$s".formatted(each.id());
        ok("restore @b --cluster-id again --members " + list + own);
        nodes.add(KvNode.start(config(each.id().name(), "again", each, three)));
      }
      Await.until("they serve", LIMIT, () -> kvorum.run("put", "b", "2") == 0);
      assertThat(ok("get a")).isEqualTo("1\n");
      Member joins = four.get(3);
      nodes.add(
          KvNode.start(
              ServerConfig.embedded(directory.resolve("n4"))
                  .clusterId("again")
                  .nodeId("n4")
                  .members(four)
                  .join(true)
                  .segmentBytes(8 << 20)
                  .clientPortOpen(true)
                  .build()));
      ok("members add n4=" + joins.address());
      kvorum.environment.put("KVORUM_ENDPOINTS", joins.host() + ":" + joins.clientPort());
      assertThat(ok("backup --to @b4")).contains("from n4");
      assertThat(ok("verify @b4")).contains("revisions 1000000002 to 1000000003");
    } finally {
      nodes.forEach(KvNode::close);
    }
  }

  /** Next to a node with the usual ports. */
  private void fork() {
    try (ServerSocket other = new ServerSocket()) {
      if (Ports.isFree(7400)) {
        other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7400));
      }
      String forked = ok("fork --at 3 --dir @fork --cluster-id fork");
      assertThat(forked).contains("\nfork: OK ");
      String port = forked.replaceAll("(?s).*--members n1=127.0.0.1:(\\d+):.*", "$1");
      assertThat(Ports.isFree(Integer.parseInt(port))).as(forked).isTrue();
      assertThat(forked).contains("\ntalk to it: export KVORUM_ENDPOINTS=127.0.0.1:" + port);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static long fetched(String line) {
    return Long.parseLong(line.replaceAll("(?s).* bytes, (\\d+) of them.*", "$1"));
  }

  private static long bytes(String line) {
    return Long.parseLong(line.replaceAll("(?s).* files, (\\d+) bytes,.*", "$1"));
  }

  private static List<String> listing(Path root) throws IOException {
    List<String> all = new ArrayList<>();
    try (Stream<Path> walk = Files.walk(root)) {
      for (Path path : walk.sorted().toList()) {
        all.add(path + " " + Files.getLastModifiedTime(path) + " " + Files.size(path));
      }
    }
    return all;
  }

  private static void deleteTree(Path root) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(root)) {
      all = walk.sorted(java.util.Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }

  private static void damage(Path root) throws IOException {
    Path table;
    try (Stream<Path> walk = Files.walk(root)) {
      table = walk.filter(path -> path.toString().endsWith(".sst")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(table);
    bytes[bytes.length / 3] ^= 4;
    Files.write(table, bytes);
  }
}
