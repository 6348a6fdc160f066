package io.kvorum.cli;

import io.kvorum.node.DirectoryReport;
import io.kvorum.node.QuarantineMark;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.inspect.SnapshotLook;
import io.kvorum.server.store.StateReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What follows from a look at several nodes of one cluster: who has most, and what to do. */
final class Diagnosis {
  private final List<NodeLook> looks;
  private final Map<Path, String> evidences;
  private final @Nullable NodeLook newest;
  private final Membership members;
  private final List<String> lines = new ArrayList<>();

  /** Of the voters, by what their directories say. */
  private final TreeSet<NodeId> sound = new TreeSet<>();

  private final TreeSet<NodeId> mending = new TreeSet<>();
  private final TreeSet<NodeId> gone = new TreeSet<>();
  private final TreeSet<NodeId> unseen = new TreeSet<>();

  /**
   * A diagnosis.
   *
   * @param evidences by directory, what is known of a wrong state that was kept there
   */
  Diagnosis(List<NodeLook> looks, Map<Path, String> evidences) {
    this.looks = looks;
    this.evidences = evidences;
    newest =
        looks.stream()
            .filter(look -> look.identity().node() != null)
            .max(Comparator.comparing(NodeLook::last))
            .orElse(null);
    members = newest == null ? Membership.EMPTY : newest.membership();
    sortVoters();
    looks.forEach(this::describe);
    conclude();
  }

  /** Whether nothing at all is wrong with any of them. */
  boolean isSound() {
    return clusters().size() == 1 && looks.stream().allMatch(NodeLook::isSound);
  }

  List<String> lines() {
    return lines;
  }

  private SortedSet<String> clusters() {
    return looks.stream()
        .map(look -> String.valueOf(look.identity().clusterId()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void sortVoters() {
    unseen.addAll(members.voters());
    for (NodeLook look : looks) {
      NodeId node = look.identity().node();
      if (node != null && unseen.remove(node)) {
        (look.isSound() ? sound : look.canReturn() ? mending : gone).add(node);
      }
    }
  }

  // ---- each of them ----

  private void describe(NodeLook look) {
    DirectoryReport identity = look.identity();
    line("directory", look.directory().toString());
    line(
        "node",
        identity.node() == null
            ? "not known"
            : "%s of cluster %s, %s"
                .formatted(identity.node(), identity.clusterId(), identity.state()));
    HardState vote = identity.vote();
    line("vote", vote == null ? "not known" : vote(vote));
    NodeLook.Log log = look.log();
    line("log", log == null ? "none" : log(log));
    line("state", state(look));
    line("snapshots", snapshots(look.snapshots()));
    if (identity.installing() != null) {
      line("mark", "installing snapshot " + identity.installing() + ": the next start finishes it");
    }
    if (vote != null && look.isRepairing()) {
      line(
          "mark",
          "repairing: may lack what it promised up to term %d; does not vote until it is there"
              .formatted(vote.lostTerm()));
    }
    QuarantineMark.Found quarantine = identity.quarantine();
    if (quarantine != null) {
      line("mark", (quarantine.isOpen() ? "quarantined: " : "rebuilt: ") + quarantine.last());
    }
    String evidence = evidences.get(look.directory());
    if (evidence != null) {
      line("evidence", evidence);
    }
    look.problems().forEach(problem -> line("damaged", problem));
    lines.add("");
  }

  private void line(String name, String text) {
    lines.add("%-12s%s".formatted(name, text));
  }

  private static String vote(HardState vote) {
    return "term %d, %s"
        .formatted(
            vote.currentTerm(),
            vote.votedFor() == null ? "no vote" : "voted for " + vote.votedFor());
  }

  private static String log(NodeLook.Log log) {
    String range = "entries %d to %s".formatted(log.compacted().index() + 1, log.last());
    String reached = log.damages().isEmpty() ? "" : ", whole up to there; reached " + log.highest();
    return range + reached + (log.underWay() == null ? "" : "; under way: " + log.underWay());
  }

  private static String state(NodeLook look) {
    StateReport state = look.state();
    if (state == null) {
      return look.stateProblem() == null ? "none" : "cannot be read";
    }
    return "applied %s, revision %d, compacted to %d, hash %s"
        .formatted(state.applied(), state.revision(), state.compactRevision(), state.hash());
  }

  private static String snapshots(List<SnapshotLook> snapshots) {
    return snapshots.isEmpty()
        ? "none"
        : snapshots.stream()
            .map(
                each ->
                    (each.about() == null ? each.location() : each.about().last().toString())
                        + (each.problem() == null ? " sound" : " DAMAGED: " + each.problem()))
            .collect(Collectors.joining(", "));
  }

  // ---- all of them ----

  private void conclude() {
    if (clusters().size() > 1) {
      lines.add("doctor: DAMAGED, these are of different clusters: " + clusters());
      return;
    }
    line("members", members.isEmpty() ? "not known" : members.toString());
    if (newest != null) {
      line("newest", "%s, to %s".formatted(newest.identity().node(), newest.last()));
    }
    if (!unseen.isEmpty()) {
      line("not seen", unseen.toString());
    }
    int majority = members.voters().size() / 2 + 1;
    if (sound.size() >= majority) {
      start();
    } else if (sound.size() + unseen.size() >= majority && !members.isEmpty()) {
      line(
          "first",
          "start %s, and at least %d of %s, if that can be: with %d of %d voters nothing is lost"
              .formatted(
                  sound, majority - sound.size(), unseen, majority, members.voters().size()));
      recover("only if these are lost for good: ");
    } else {
      recover("no majority is left. ");
    }
    lines.add(verdict());
  }

  private void start() {
    line("do", "start " + sound + " with their directories: they are a majority, nothing is lost");
    if (!mending.isEmpty()) {
      line(
          "do",
          "start " + mending + " too: what they lack they get from the others, and then vote");
    }
    for (NodeId node : gone) {
      line(
          "do",
          "%s cannot return: start a new node with --join and an empty directory, then"
              .formatted(node));
      line("", "kvorum members replace %s NEW=HOST:CLIENT:PEER".formatted(node));
    }
  }

  private void recover(String when) {
    NodeLook best =
        looks.stream()
            .filter(look -> look.canReturn() && isUndamaged(look))
            .max(Comparator.comparing(NodeLook::last))
            .orElse(null);
    if (best == null) {
      line(
          "else", when + "No directory here can be recovered: bring back a backup, kvorum restore");
      return;
    }
    line(
        "else",
        when
            + "Acknowledged writes that only others held are lost, and up to %d entries behind %s"
                .formatted(best.last().index() - best.applied().index(), best.applied())
            + " become committed");
    line(
        "",
        "kvorum recover --data-dir %s --node-id %s --new-cluster-id NEW"
                .formatted(best.directory(), best.identity().node())
            + " --yes-lose-acknowledged-writes");
    if (best.isRepairing()) {
      line("", "its log lacks what it once had: that is lost, too, if nobody else has it");
    }
  }

  private static boolean isUndamaged(NodeLook look) {
    NodeLook.Log log = look.log();
    return log != null
        && log.damages().isEmpty()
        && look.stateProblem() == null
        && !look.identity().isQuarantined();
  }

  private String verdict() {
    long problems = looks.stream().mapToLong(look -> look.problems().size()).sum();
    String seen =
        "%d of %d voters seen, %d sound"
            .formatted(
                members.voters().size() - unseen.size(), members.voters().size(), sound.size());
    if (isSound()) {
      return "doctor: OK, " + seen;
    }
    String damaged =
        looks.stream()
            .filter(look -> !look.isSound())
            .map(look -> Objects.toString(look.identity().node(), look.directory().toString()))
            .collect(Collectors.joining(", "));
    return "doctor: DAMAGED, %s; %d problems of %s".formatted(seen, problems, damaged);
  }
}
