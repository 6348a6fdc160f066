package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the scenarios in {@code src/test/resources/golden} and compares what the nodes said and did
 * with what is recorded there. {@code -Dgolden.update=true} records anew; read the difference as
 * the change of behaviour that it is.
 *
 * <p>A file says in its first line what it shows; then come commands, {@code ---}, and the
 * transcript, in which each command is repeated before what follows from it. Commands:
 *
 * <pre>
 *   cluster nodes=3 [learners=1] [leader=n1]  must be first; the leader is elected unrecorded;
 *           [leases] [quiesce=5] [preferred=n2,n3]
 *   log n1 1 1 2 term=3 vote=n2               terms of the entries on its disk, and its vote file
 *   tick n1 [times] | tick all [times]        "all" delivers after each tick
 *   campaign n1 | propose n1 x | transfer n1 n2 | unreachable n1 n2
 *   read n1 7 [lease | follower | stale=50]   linearizable on the leader, or so; 50 milliseconds
 *   sleep n1 50                               milliseconds by its clock, in which it does nothing
 *   replay n1 n2 ReadIndexResponse            the last one that went that way comes once more
 *   deliver | deliver n1 n2                   everything until quiet, or one message of a link
 *   drop n1 n2 | drop all                     what is under way
 *   cut n1 n2 | isolate n1 | heal             cut: that direction only
 *   hold n1 | sync n1 | release n1            its disk: stop, make one write durable, go on
 *   compact n1 2                              forgets its log up to there, behind a snapshot
 *   join n4                                   a new node that knows nothing of the group
 *   change n1 voters=n1,n2 [learners=n3]
 *   crash n1 | restart n1 | status n1 | why n1
 * </pre>
 */
class GoldenTranscriptTest {
  private static final Path FOLDER = Path.of("src/test/resources/golden");

  @TestFactory
  Stream<DynamicTest> scenarios() throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(FOLDER)) {
      files = listed.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
    }
    assertThat(files).hasSizeGreaterThanOrEqualTo(15);
    return files.stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check(file)));
  }

  private static void check(Path file) throws IOException {
    String recorded = Files.readString(file);
    assertThat(recorded).as("the first line says what it shows").startsWith("# ");
    String script = recorded.split("\n---\n", 2)[0].stripTrailing();
    List<String> transcript = new ArrayList<>();
    new Scenario(transcript).run(script.lines().filter(line -> !line.startsWith("#")).toList());
    String actual = script + "\n---\n" + String.join("\n", transcript) + "\n";
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(file, actual);
    } else {
      assertThat(actual).isEqualTo(recorded);
    }
  }

  private static final class Scenario {
    private final List<String> transcript;
    private TestCluster cluster = TestCluster.of(1);

    Scenario(List<String> transcript) {
      this.transcript = transcript;
    }

    void run(List<String> commands) {
      start(commands.get(0).split(" "));
      for (String command : commands.subList(1, commands.size())) {
        if (!command.isBlank()) {
          transcript.add("> " + command);
          run(command.split(" "));
        }
      }
    }

    private void start(String[] words) {
      assertThat(words[0]).isEqualTo("cluster");
      int nodes = Integer.parseInt(option(words, "nodes", "3"));
      int learners = Integer.parseInt(option(words, "learners", "0"));
      cluster = new TestCluster(nodes, learners, config -> adjusted(config, words));
      String leader = option(words, "leader", "");
      if (!leader.isEmpty()) {
        cluster.elect(leader);
      }
      cluster.transcript(transcript::add);
    }

    private static RaftConfig adjusted(RaftConfig config, String[] words) {
      String preferred = option(words, "preferred", "");
      return config.toBuilder()
          .leaseReads(List.of(words).contains("leases"))
          .quiesceTicks(Integer.parseInt(option(words, "quiesce", "0")))
          .preferredLeaders(
              Stream.of(preferred.split(",")).filter(n -> !n.isEmpty()).map(NodeId::new).toList())
          .build();
    }

    private static String option(String[] words, String name, String otherwise) {
      for (String word : words) {
        if (word.startsWith(name + "=")) {
          return word.substring(name.length() + 1);
        }
      }
      return otherwise;
    }

    private void run(String[] words) {
      String node = words.length > 1 ? words[1] : "";
      String argument = words.length > 2 ? words[2] : "";
      switch (words[0]) {
        case "log" -> log(words);
        case "tick" -> tick(node, argument.isEmpty() ? 1 : Integer.parseInt(argument));
        case "campaign" -> cluster.campaign(node);
        case "propose" -> propose(node, argument);
        case "read" -> read(node, Long.parseLong(argument), words);
        case "sleep" -> cluster.node(node).clockNanos += millis(argument);
        case "replay" -> replay(node, argument, words[3]);
        case "transfer" -> say(cluster.transfer(node, argument) ? "" : "refused");
        case "unreachable" -> cluster.unreachable(node, argument);
        case "deliver" -> deliver(node, argument);
        case "drop" -> drop(node, argument);
        case "cut" -> cluster.cut(node, argument);
        case "isolate" -> cluster.isolate(node);
        case "heal" -> cluster.heal();
        case "hold" -> cluster.hold(node);
        case "sync" -> cluster.syncOne(node);
        case "release" -> cluster.release(node);
        case "compact" -> cluster.compact(node, Long.parseLong(argument));
        case "join" -> cluster.join(node);
        case "change" -> change(words);
        case "crash" -> cluster.crash(node);
        case "restart" -> cluster.restart(node);
        case "status" -> status(cluster.core(node).status());
        case "why" -> say(node + " ceased to lead: " + cluster.core(node).stepDown());
        default -> throw new AssertionError("unknown command " + words[0]);
      }
    }

    private static long millis(String number) {
      return Long.parseLong(number) * TestCluster.MILLI_NANOS;
    }

    private void read(String node, long id, String[] words) {
      String how = words.length > 3 ? words[3] : "";
      ReadMode mode = ReadMode.LINEARIZABLE;
      if (how.equals("lease")) {
        mode = ReadMode.LEASE;
      } else if (how.equals("follower")) {
        mode = ReadMode.FOLLOWER;
      } else if (how.startsWith("stale=")) {
        mode = ReadMode.stale(millis(how.substring("stale=".length())));
      }
      say(cluster.read(node, id, mode) ? "" : "refused");
    }

    private void replay(String from, String to, String kind) {
      for (int i = cluster.sent.size() - 1; i >= 0; i--) {
        Envelope envelope = cluster.sent.get(i);
        boolean link = envelope.from().name().equals(from) && envelope.to().name().equals(to);
        if (link && envelope.message().getClass().getSimpleName().equals(kind)) {
          cluster.step(envelope);
          return;
        }
      }
      throw new AssertionError("no " + kind + " went from " + from + " to " + to);
    }

    private void say(String line) {
      if (!line.isEmpty()) {
        transcript.add(line);
      }
    }

    private void log(String[] words) {
      String vote = option(words, "vote", "");
      long term = Long.parseLong(option(words, "term", "0"));
      long[] terms =
          Stream.of(words)
              .skip(2)
              .filter(word -> !word.contains("="))
              .mapToLong(Long::parseLong)
              .toArray();
      cluster.preset(
          words[1], new HardState(term, vote.isEmpty() ? null : new NodeId(vote)), terms);
    }

    private void tick(String node, int times) {
      if (node.equals("all")) {
        cluster.tickAll(times);
      } else {
        cluster.tick(node, times);
      }
    }

    private void propose(String node, String payload) {
      Proposal proposal = cluster.propose(node, payload);
      if (!(proposal instanceof Proposal.Accepted)) {
        say(proposal.toString());
      }
    }

    private void change(String[] words) {
      String voters = option(words, "voters", "").replace(',', ' ');
      String learners = option(words, "learners", "").replace(',', ' ');
      Proposal proposal = cluster.change(words[1], voters, learners);
      if (!(proposal instanceof Proposal.Accepted)) {
        say(proposal.toString());
      }
    }

    private void deliver(String from, String to) {
      if (from.isEmpty()) {
        cluster.deliver();
      } else {
        assertThat(cluster.deliver(from, to)).as("under way from %s to %s", from, to).isTrue();
      }
    }

    private void drop(String from, String to) {
      if (from.equals("all")) {
        cluster.dropAll();
      } else {
        cluster.drop(from, to);
      }
    }

    private void status(RaftStatus status) {
      say(
          "%s %s%s term=%d leader=%s last=%s durable=%d commit=%d applied=%d"
              .formatted(
                  status.self(),
                  status.role(),
                  status.removed() ? " (removed)" : "",
                  status.term(),
                  status.leader(),
                  status.last(),
                  status.durableIndex(),
                  status.commitIndex(),
                  status.appliedIndex()));
      status
          .progress()
          .forEach(
              (peer, progress) ->
                  say(
                      "  %s match=%d next=%d inflight=%d %s"
                          .formatted(
                              peer,
                              progress.matchIndex(),
                              progress.nextIndex(),
                              progress.inflightMessages(),
                              progress.state())));
    }
  }
}
