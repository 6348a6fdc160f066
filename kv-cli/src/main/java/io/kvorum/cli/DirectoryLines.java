package io.kvorum.cli;

import io.kvorum.node.DirectoryReport;
import io.kvorum.node.QuarantineMark;
import io.kvorum.node.Rebuild;
import io.kvorum.raft.HardState;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.inspect.SnapshotLook;
import io.kvorum.server.store.StateReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a look at one directory has shown, in lines. */
final class DirectoryLines {
  private final NodeLook look;
  private final @Nullable String evidence;
  private final List<String> lines = new ArrayList<>();

  private DirectoryLines(NodeLook look, @Nullable String evidence) {
    this.look = look;
    this.evidence = evidence;
  }

  /**
   * The lines.
   *
   * @param evidence what is known of a wrong state that was kept there; null: nothing
   */
  static List<String> of(NodeLook look, @Nullable String evidence) {
    DirectoryLines said = new DirectoryLines(look, evidence);
    said.describe();
    return said.lines;
  }

  /** One of them. */
  static String line(String name, String text) {
    return "%-12s%s".formatted(name, text);
  }

  private void describe() {
    DirectoryReport identity = look.identity();
    add("directory", look.directory().toString());
    add(
        "node",
        identity.node() == null
            ? "not known"
            : "%s of cluster %s, %s"
                .formatted(identity.node(), identity.clusterId(), identity.state()));
    HardState vote = identity.vote();
    boolean isUnused = identity.isUnused();
    add("vote", vote == null ? (isUnused ? "none yet" : "not known") : vote(vote));
    NodeLook.Log log = look.log();
    add("log", log == null ? "none" : log(log));
    add("state", state());
    describeReplay();
    add("snapshots", snapshots(look.snapshots()));
    look.unused().forEach(snapshot -> add("not used", snapshot));
    if (identity.installing() != null) {
      add(
          "mark",
          "was ended while it installed snapshot %s: the next start finishes that, nothing is lost"
              .formatted(identity.installing()));
    }
    if (isUnused) {
      add(
          "mark",
          "was ended in its first start: it has promised nothing, the next one begins anew");
    }
    if (vote != null && look.isRepairing()) {
      add(
          "mark",
          "repairing: may lack what it promised up to term %d; does not vote until it is there"
              .formatted(vote.lostTerm()));
    }
    QuarantineMark.Found quarantine = identity.quarantine();
    if (quarantine != null) {
      add("mark", (quarantine.isOpen() ? "quarantined: " : "rebuilt: ") + quarantine.last());
    }
    if (evidence != null) {
      add("evidence", evidence);
    }
    look.problems().forEach(problem -> add("damaged", problem));
  }

  private void add(String name, String text) {
    lines.add(line(name, text));
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
  private void describeReplay() {
    NodeLook.Log log = look.log();
    boolean isBehind = log != null && log.last().index() > look.applied().index();
    if (log != null && isBehind && look.isSound() && look.state().problem() == null) {
      add(
          "to apply",
          "a start applies the entries %d to %s, which are in the log and not yet in the state:"
                  .formatted(look.applied().index() + 1, log.last())
              + " usual after a kill, and no damage");
    }
  }

  private String state() {
    String how = condition();
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

  private String condition() {
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
}
