package io.kvorum.cli;

import io.kvorum.raft.EntryId;
import io.kvorum.server.inspect.NodeLook;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which of several directories of one cluster could be recovered, and what each would lose. */
final class WaysBack {
  /** Those on which a cluster can be founded, the one that loses least first. */
  private final List<NodeLook> ways;

  private final EntryId top;
  private final boolean isDamaged;
  private final @Nullable NodeLook holder;

  WaysBack(List<NodeLook> looks) {
    ways =
        looks.stream().filter(NodeLook::isRecoverable).sorted(NodeLook.WORTH.reversed()).toList();
    isDamaged = looks.stream().anyMatch(look -> !look.problems().isEmpty());
    holder =
        looks.stream()
            .max(Comparator.comparing(WaysBack::reached).thenComparing(NodeLook::isSound))
            .orElse(null);
    top = holder == null ? EntryId.ZERO : reached(holder);
  }

  /** So far it once got, as can be seen, whether that is whole or not. */
  private static EntryId reached(NodeLook look) {
    NodeLook.Log log = look.log();
    return log == null || log.highest().compareTo(look.last()) < 0 ? look.last() : log.highest();
  }

  /** The best way in words and as a command, and what each of them would lose. */
  List<String> lines() {
    if (ways.isEmpty()) {
      return List.of(
          "No directory here can be recovered"
              + (isDamaged ? ", unless a line \"damaged\" says what may be done" : "")
              + ": bring back a backup, kvorum restore");
    }
    NodeLook best = ways.get(0);
    List<String> lines = new ArrayList<>();
    lines.add(
        ("Acknowledged writes that only others held are lost, and up to %d entries%s become"
                + " committed")
            .formatted(
                best.last().index() - best.applied().index(),
                best.applied().index() == 0 ? "" : " behind " + best.applied()));
    ways.forEach(way -> lines.add("%s loses %s".formatted(text(way), loss(way))));
    lines.add(command(best, "NEW"));
    if (best.rebuild() != null) {
      lines.add("its state is damaged, and is then built anew from " + best.rebuild());
    }
    if (best.isRepairing()) {
      lines.add("its log lacks what it once had: that is lost, too, if nobody else has it");
    }
    return lines;
  }

  /** How a directory is recovered. */
  static String command(NodeLook look, String clusterId) {
    return "kvorum recover --data-dir %s --node-id %s --new-cluster-id %s"
            .formatted(look.directory(), look.identity().node(), clusterId)
        + " --yes-lose-acknowledged-writes";
  }

  private static String text(NodeLook way) {
    return "%s, to %s in %s,".formatted(way.identity().node(), way.last(), way.directory());
  }

  private String loss(NodeLook way) {
    EntryId last = way.last();
    if (holder == null || last.compareTo(top) >= 0) {
      return "nothing that is seen here";
    }
    String has = holder.last().compareTo(top) >= 0 ? " has" : " once had";
    String who = Objects.toString(holder.identity().node(), holder.directory().toString()) + has;
    return last.term() == top.term()
        ? "the entries %d to %d, which %s".formatted(last.index() + 1, top.index(), who)
        : "what %s of %s".formatted(who, terms(last.term() + 1, top.term()));
  }

  private static String terms(long first, long last) {
    return first == last ? "term " + first : "the terms " + first + " to " + last;
  }
}
