package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.NodeId;
import java.util.List;

/**
 * Whose data directory this is.
 *
 * @param clusterId the cluster it belongs to
 * @param node the only node that may use it
 * @param incarnation random, drawn when the directory was made: a node id that comes back with
 *     another one has lost its memory, and is not the voter it was (FAULTS F048)
 * @param ready whether vote file and log were made; before that, nothing was promised from here
 */
record Identity(String clusterId, NodeId node, long incarnation, boolean ready) {
  static final String FILE = "identity";
  private static final String FORMAT = "kvorum-identity 1";

  Identity withReady() {
    return new Identity(clusterId, node, incarnation, true);
  }

  void write(Disk disk) {
    CheckedLines.write(
        disk,
        FILE,
        FORMAT,
        List.of(
            "cluster " + clusterId,
            "node " + node,
            "incarnation " + Long.toHexString(incarnation),
            "state " + (ready ? "ready" : "initializing")));
  }

  static Identity read(Disk disk) {
    List<String> lines = CheckedLines.read(disk, FILE, FORMAT);
    return new Identity(
        value(lines, 0, "cluster "),
        new NodeId(value(lines, 1, "node ")),
        Long.parseUnsignedLong(value(lines, 2, "incarnation "), 16),
        value(lines, 3, "state ").equals("ready"));
  }

  private static String value(List<String> lines, int line, String name) {
    if (line >= lines.size() || !lines.get(line).startsWith(name)) {
      throw new DataDirectoryException(
          FILE + ": line " + (line + 2) + " should begin with \"" + name + "\"");
    }
    return lines.get(line).substring(name.length());
  }
}
