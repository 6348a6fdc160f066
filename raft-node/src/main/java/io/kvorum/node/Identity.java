package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whose data directory this is.
 *
 * @param clusterId the cluster it belongs to
 * @param node the only node that may use it
 * @param incarnation random, drawn when the directory was made: a node id that comes back with
 *     another one has lost its memory, and is not the voter it was (FAULTS F048)
 * @param state how far the directory is
 * @param former the clusters it belonged to before recoveries, the first one first
 */
record Identity(String clusterId, NodeId node, long incarnation, State state, List<String> former) {
  /** What may be done with a directory. */
  enum State {
    /** Vote file and log are being made: nothing was promised from here. */
    INITIALIZING,
    /** A node may run. */
    READY,
    /** A recovery has begun and is not done: see {@link Recovery}. */
    RECOVERING
  }

  static final String FILE = "identity";
  private static final String FORMAT = "kvorum-identity 1";
  private static final String FORMER = "former ";
  private static final int LINES = 4;

  Identity {
    former = List.copyOf(former);
  }

  /** Of a directory that was never recovered. */
  Identity(String clusterId, NodeId node, long incarnation, State state) {
    this(clusterId, node, incarnation, state, List.of());
  }

  boolean ready() {
    return state == State.READY;
  }

  Identity with(State next) {
    return new Identity(clusterId, node, incarnation, next, former);
  }

  void write(Disk disk) {
    List<String> lines = new ArrayList<>();
    lines.add("cluster " + clusterId);
    lines.add("node " + node);
    lines.add("incarnation " + Long.toHexString(incarnation));
    lines.add("state " + state.name().toLowerCase(Locale.ROOT));
    former.forEach(cluster -> lines.add(FORMER + cluster));
    CheckedLines.write(disk, FILE, FORMAT, lines);
  }

  static Identity read(Disk disk) {
    List<String> lines = CheckedLines.read(disk, FILE, FORMAT);
    return new Identity(
        value(lines, 0, "cluster "),
        new NodeId(value(lines, 1, "node ")),
        Long.parseUnsignedLong(value(lines, 2, "incarnation "), 16),
        state(value(lines, 3, "state ")),
        former(lines));
  }

  private static List<String> former(List<String> lines) {
    List<String> former = new ArrayList<>();
    for (int line = LINES; line < lines.size(); line++) {
      former.add(value(lines, line, FORMER));
    }
    return former;
  }

  private static State state(String text) {
    for (State state : State.values()) {
      if (state.name().toLowerCase(Locale.ROOT).equals(text)) {
        return state;
      }
    }
    throw new DataDirectoryException(
        FILE + ": unknown state \"" + text + "\": was it written by a newer version of Kvorum?");
  }

  private static String value(List<String> lines, int line, String name) {
    if (line >= lines.size() || !lines.get(line).startsWith(name)) {
      throw new DataDirectoryException(
          FILE + ": line " + (line + 2) + " should begin with \"" + name + "\"");
    }
    return lines.get(line).substring(name.length());
  }
}
