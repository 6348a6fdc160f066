package io.kvorum.cli;

import io.kvorum.node.DirectoryReport;
import io.kvorum.node.QuarantineMark;
import io.kvorum.node.Rebuild;
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

  /** Those that build their state anew by themselves, and then vote like the others. */
  private final TreeSet<NodeId> rebuilt = new TreeSet<>();

  /** Those that are sound but for what stands in the place of a file. */
  private final TreeSet<NodeId> cleared = new TreeSet<>();

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
        sort(look, node);
      }
    }
  }

  private void sort(NodeLook look, NodeId node) {
    if (look.isSound()) {
      sound.add(node);
    } else if (look.isSoundOnceRebuilt()) {
      rebuilt.add(node);
    } else if (look.isSoundOnceCleared()) {
      cleared.add(node);
    } else if (look.canReturn()) {
      mending.add(node);
    } else if (!look.identity().isHalfRecovered()) {
      gone.add(node);
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
    boolean isUnused = identity.isUnused();
    line("vote", vote == null ? (isUnused ? "none yet" : "not known") : vote(vote));
    NodeLook.Log log = look.log();
    line("log", log == null ? "none" : log(log));
    line("state", state(look));
    describeReplay(look);
    line("snapshots", snapshots(look.snapshots()));
    look.unused().forEach(snapshot -> line("not used", snapshot));
    if (identity.installing() != null) {
      line(
          "mark",
          "was ended while it installed snapshot %s: the next start finishes that, nothing is lost"
              .formatted(identity.installing()));
    }
    if (isUnused) {
      line(
          "mark",
          "was ended in its first start: it has promised nothing, the next one begins anew");
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
    String cutShort =
        log.underWay() == null
            ? ""
            : "; the node was ended during " + log.underWay() + ", which the next start finishes";
    return range + reached + cutShort;
  }

  /** What is in the log only: much of it if the node was killed, and nobody need worry. */
  private void describeReplay(NodeLook look) {
    NodeLook.Log log = look.log();
    boolean isBehind = log != null && log.last().index() > look.applied().index();
    if (log != null && isBehind && look.isSound() && look.state().problem() == null) {
      line(
          "to apply",
          "a start applies the entries %d to %s, which are in the log and not yet in the state:"
                  .formatted(look.applied().index() + 1, log.last())
              + " usual after a kill, and no damage");
    }
  }

  private static String state(NodeLook look) {
    String how = condition(look);
    Rebuild rebuild = look.rebuild();
    if (rebuild != null) {
      return look.isStateTakenForSound()
          ? how
              + ": a start would not see it, and the node would stop when it reads there. Moved"
              + " away, it is built anew from "
              + rebuild
          : how + "; a start will build it anew from " + rebuild;
    }
    return switch (look.state().condition()) {
      case SOUND, REFUSED -> how;
      case MISSING, BROKEN, DAMAGED_WITHIN ->
          look.identity().isUnused() || look.identity().installing() != null
              ? how
              : how + ", and neither snapshots nor log suffice here to build it anew";
    };
  }

  private static String condition(NodeLook look) {
    String installing = look.identity().installing();
    if (installing != null) {
      return "is being replaced by snapshot " + installing;
    }
    return switch (look.state().condition()) {
      case SOUND -> report(Objects.requireNonNull(look.state().said()));
      case MISSING -> look.identity().isUnused() ? "none yet" : "missing";
      case BROKEN -> "cannot be opened";
      case DAMAGED_WITHIN -> "is damaged, though it can be opened";
      case REFUSED -> "cannot be read";
    };
  }

  private static String report(StateReport state) {
    return "applied %s, revision %d, compacted to %d, hash %s"
        .formatted(
            state.applied(),
            state.revision(),
            state.compactRevision(),
            Objects.requireNonNullElse(state.hash(), "none"));
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
    List<NodeLook> half = looks.stream().filter(look -> look.identity().isHalfRecovered()).toList();
    if (!half.isEmpty()) {
      half.forEach(look -> line("do", finish(look)));
    } else if (looks.stream().allMatch(look -> look.identity().isUnused())) {
      line("do", "start what was never in use, or delete it");
    } else if (members.isEmpty() && isSound()) {
      line(
          "do",
          "start what is here: a start takes the members from its settings, and loses nothing");
    } else {
      conclude(members.voters().size() / 2 + 1);
    }
    lines.add(verdict());
  }

  private static String finish(NodeLook look) {
    return WaysBack.command(look, String.valueOf(look.identity().clusterId()));
  }

  private void conclude(int majority) {
    SortedSet<NodeId> ready = new TreeSet<>(sound);
    ready.addAll(rebuilt);
    ready.addAll(cleared);
    if (ready.size() >= majority) {
      moveAway();
      start(ready);
    } else if (ready.size() + unseen.size() >= majority && !members.isEmpty()) {
      moveAway();
      line(
          "first",
          "start %s, and at least %d of %s, if that can be: with %d of %d voters nothing is lost"
              .formatted(
                  ready, majority - ready.size(), unseen, majority, members.voters().size()));
      recover("only if these are lost for good: ");
    } else {
      recover("no majority is left. ");
    }
  }

  /**
   * Else the node would run on a state that it does not know to be damaged, or could not write its
   * files.
   */
  private void moveAway() {
    looks.stream()
        .filter(NodeLook::canReturn)
        .flatMap(look -> look.identity().misplaced().stream())
        .forEach(each -> line("before", "mv %1$s %1$s.misplaced".formatted(each.path())));
    looks.stream()
        .filter(NodeLook::isStateTakenForSound)
        .forEach(
            look -> line("before", "mv %1$s/state %1$s/state.damaged".formatted(look.directory())));
  }

  private void start(SortedSet<NodeId> ready) {
    line("do", "start " + ready + " with their directories: they are a majority, nothing is lost");
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
    List<String> ways = new WaysBack(looks).lines();
    line("else", when + ways.get(0));
    ways.subList(1, ways.size()).forEach(each -> line("", each));
  }

  private String verdict() {
    long problems = looks.stream().mapToLong(look -> look.problems().size()).sum();
    String seen =
        "%d of %d voters seen, %d sound"
                .formatted(
                    members.voters().size() - unseen.size(), members.voters().size(), sound.size())
            + (rebuilt.isEmpty() ? "" : ", %d to build their state anew".formatted(rebuilt.size()))
            + (cleared.isEmpty() ? "" : ", %d to be cleared".formatted(cleared.size()));
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
