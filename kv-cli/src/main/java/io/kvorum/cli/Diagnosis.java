package io.kvorum.cli;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.inspect.NodeLook;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What follows from a look at several nodes of one cluster: who has most, and what to do. */
final class Diagnosis {
  private final List<NodeLook> looks;
  private final @Nullable NodeLook newest;

  /** Whose state has most: all that it has was committed. */
  private final @Nullable NodeLook applied;

  private final Membership members;
  private final @Nullable String parting;
  private final List<String> lines = new ArrayList<>();

  /** Those of the old configuration, too, as long as these have to agree. */
  private final TreeSet<NodeId> voters = new TreeSet<>();

  /** Of the voters, by what their directories say. */
  private final TreeSet<NodeId> sound = new TreeSet<>();

  /** Those that build their state anew by themselves, and then vote like the others. */
  private final TreeSet<NodeId> rebuilt = new TreeSet<>();

  /** Those that are sound but for what stands in the place of a file. */
  private final TreeSet<NodeId> cleared = new TreeSet<>();

  private final TreeSet<NodeId> mending = new TreeSet<>();
  private final TreeSet<NodeId> gone = new TreeSet<>();
  private final TreeSet<NodeId> unseen = new TreeSet<>();

  /** Who would vote, and lacks what was committed, without knowing that. */
  private final TreeSet<NodeId> older = new TreeSet<>();

  /**
   * A diagnosis.
   *
   * @param evidences by directory, what is known of a wrong state that was kept there
   */
  Diagnosis(List<NodeLook> looks, Map<Path, String> evidences) {
    this.looks = looks;
    newest =
        looks.stream()
            .filter(look -> look.identity().node() != null)
            .max(NodeLook.WORTH)
            .orElse(null);
    applied = looks.stream().max(Comparator.comparing(NodeLook::applied)).orElse(null);
    members = newest == null ? Membership.EMPTY : newest.membership();
    parting = Parting.of(looks);
    voters.addAll(members.voters());
    voters.addAll(members.outgoing());
    sortVoters();
    for (NodeLook look : looks) {
      lines.addAll(DirectoryLines.of(look, evidences.get(look.directory())));
      lines.add("");
    }
    conclude();
  }

  /** Whether nothing at all is wrong with any of them. */
  boolean isSound() {
    return clusters().size() == 1
        && looks.stream().allMatch(NodeLook::isSound)
        && parting == null
        && !wouldForget()
        && twice().isEmpty();
  }

  List<String> lines() {
    return lines;
  }

  /** By its id, what is seen of each cluster; what belongs to nobody knows which is in none. */
  private SortedMap<String, List<Path>> clusters() {
    return looks.stream()
        .filter(look -> look.identity().clusterId() != null)
        .collect(
            Collectors.groupingBy(
                look -> String.valueOf(look.identity().clusterId()),
                TreeMap::new,
                Collectors.mapping(NodeLook::directory, Collectors.toList())));
  }

  /** The nodes of which there are several directories, and these. */
  private SortedMap<NodeId, List<Path>> twice() {
    SortedMap<NodeId, List<Path>> places = new TreeMap<>();
    for (NodeLook look : looks) {
      NodeId node = look.identity().node();
      if (node != null) {
        places.computeIfAbsent(node, first -> new ArrayList<>()).add(look.directory());
      }
    }
    places.values().removeIf(directories -> directories.size() == 1);
    return places;
  }

  private void sortVoters() {
    unseen.addAll(voters);
    looks.stream().sorted(NodeLook.WORTH.reversed()).forEach(this::sort);
  }

  private void sort(NodeLook look) {
    NodeId node = look.identity().node();
    if (node != null && unseen.remove(node)) {
      sort(look, node);
      boolean wouldVote = sound.contains(node) || rebuilt.contains(node) || cleared.contains(node);
      if (wouldVote && isOlder(look)) {
        older.add(node);
      }
    }
  }

  /** It lacks what another has applied, or had no part in the election of whoever wrote to it. */
  private boolean isOlder(NodeLook look) {
    HardState vote = look.identity().vote();
    return (applied != null && look.last().compareTo(applied.applied()) < 0)
        || (newest != null && vote != null && vote.currentTerm() < newest.last().term());
  }

  /** Whether older copies could go on without any that has what was committed since. */
  private boolean wouldForget() {
    return members.isMajority(older);
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

  private void line(String name, String text) {
    lines.add(DirectoryLines.line(name, text));
  }

  private void conclude() {
    SortedMap<String, List<Path>> clusters = clusters();
    if (clusters.size() > 1) {
      line("do", "look at those of one cluster at a time:");
      clusters.forEach((id, places) -> line("", "kvorum doctor " + spaced(places) + " of " + id));
      lines.add("doctor: DAMAGED, these are of different clusters: " + clusters.keySet());
      return;
    }
    line("members", members.isEmpty() ? "not known" : members.toString());
    if (newest != null) {
      line("newest", "%s, to %s".formatted(newest.identity().node(), newest.last()));
    }
    if (!unseen.isEmpty()) {
      line("not seen", unseen.toString());
    }
    twice().forEach((node, places) -> line("twice", "%s: %s".formatted(node, oneOf(places))));
    List<NodeLook> half = looks.stream().filter(look -> look.identity().isHalfRecovered()).toList();
    if (!half.isEmpty()) {
      half.forEach(look -> line("do", finish(look)));
    } else if (looks.stream().allMatch(look -> look.identity().isUnused())) {
      line("do", "start what was never in use, or delete it");
    } else if (members.isEmpty() && isSound()) {
      line(
          "do",
          "start what is here: a start takes the members from its settings, and loses nothing");
    } else if (parting != null) {
      choose(parting);
    } else if (wouldForget() && applied != null && newest != null) {
      doNotForget(applied, newest);
    } else {
      goOn();
    }
    lines.add(verdict());
  }

  private static String spaced(List<Path> places) {
    return places.stream().map(Path::toString).collect(Collectors.joining(" "));
  }

  private static String oneOf(List<Path> places) {
    return spaced(places) + ": start one of them only, the one with most, and never another again";
  }

  private static String finish(NodeLook look) {
    return WaysBack.command(look, String.valueOf(look.identity().clusterId()));
  }

  /** Both have acknowledged what the other one does not have. */
  private void choose(String shown) {
    line(
        "apart",
        shown + ": they exclude each other, as after a start of older copies without the others");
    line("first", "copy all of these directories, and start none beside another");
    line("else", "decide whose history goes on; what only the others have is lost:");
    looks.stream()
        .filter(NodeLook::isRecoverable)
        .forEach(look -> line("", WaysBack.command(look, "NEW")));
  }

  private void doNotForget(NodeLook holder, NodeLook writer) {
    boolean isApplied = older.stream().allMatch(node -> last(node).compareTo(holder.applied()) < 0);
    String proof =
        isApplied
            ? "end before %s, which %s has applied, so that a majority had it"
                .formatted(holder.applied(), holder.name())
            : "know of no term as late as that of %s, which %s has: a majority did once"
                .formatted(writer.last(), writer.name());
    line(
        "older",
        ("%s %s: they are older copies, or have lost their end without a trace. Together they would"
                + " go on without it")
            .formatted(older, proof));
    line("first", "look for their later directories, and do not start these: nothing is lost yet");
    recover("only if there are none: ");
  }

  private EntryId last(NodeId node) {
    return looks.stream()
        .filter(look -> node.equals(look.identity().node()))
        .map(NodeLook::last)
        .max(Comparator.naturalOrder())
        .orElse(EntryId.ZERO);
  }

  private void goOn() {
    SortedSet<NodeId> ready = new TreeSet<>(sound);
    ready.addAll(rebuilt);
    ready.addAll(cleared);
    SortedSet<NodeId> atBest = new TreeSet<>(ready);
    atBest.addAll(unseen);
    if (members.isMajority(ready)) {
      moveAway();
      start(ready);
    } else if (members.isMajority(atBest)) {
      moveAway();
      line("first", "start %s, and %s nothing is lost".formatted(ready, others(ready)));
      recover("only if these are lost for good: ");
    } else {
      recover("no majority is left. ");
    }
  }

  private String others(SortedSet<NodeId> ready) {
    int majority = members.majority();
    return members.isJoint()
        ? "of %s, if that can be, so many that they are a majority of %s and one of %s: then"
            .formatted(unseen, members.voters(), members.outgoing())
        : "at least %d of %s, if that can be: with %d of %d voters"
            .formatted(majority - ready.size(), unseen, majority, voters.size());
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
    looks.stream()
        .filter(look -> look.identity().node() == null)
        .forEach(
            look ->
                line(
                    "do",
                    ("%s cannot return, since nobody knows whose it was. If it was one of %s: start"
                            + " a new node with --join, then kvorum members replace that one")
                        .formatted(look.directory(), unseen)));
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
                .formatted(voters.size() - unseen.size(), voters.size(), sound.size())
            + (rebuilt.isEmpty() ? "" : ", %d to build their state anew".formatted(rebuilt.size()))
            + (cleared.isEmpty() ? "" : ", %d to be cleared".formatted(cleared.size()));
    if (isSound()) {
      return "doctor: OK, " + seen;
    }
    if (parting != null) {
      return "doctor: DAMAGED, %s; their histories exclude each other".formatted(seen);
    }
    if (wouldForget()) {
      return "doctor: DAMAGED, %s; %s lack what was committed".formatted(seen, older);
    }
    String damaged =
        looks.stream()
            .filter(look -> !look.isSound())
            .map(NodeLook::name)
            .collect(Collectors.joining(", "));
    return "doctor: DAMAGED, %s; %d problems of %s".formatted(seen, problems, damaged);
  }
}
