package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * With which members a data directory was made: what its group began with, as long as its log says
 * nothing else. Written once, so that other settings at a later start cannot make another group of
 * the same log, in which two majorities decide apart.
 *
 * @param membership voters only, without addresses; empty: the node was made to join a group
 */
record Origin(Membership membership) {
  static final String FILE = "origin";
  private static final String FORMAT = "kvorum-origin 1";
  private static final String JOINED = "joined";
  private static final String VOTER = "voter ";

  static Origin of(Membership configured) {
    return new Origin(Membership.of(configured.voters()));
  }

  void write(Disk disk) {
    List<String> lines = new ArrayList<>();
    if (membership.isEmpty()) {
      lines.add(JOINED);
    }
    membership.voters().forEach(voter -> lines.add(VOTER + voter));
    CheckedLines.write(disk, FILE, FORMAT, lines);
  }

  static Origin read(Disk disk) {
    TreeSet<NodeId> voters = new TreeSet<>();
    for (String line : CheckedLines.read(disk, FILE, FORMAT)) {
      if (line.startsWith(VOTER)) {
        voters.add(new NodeId(line.substring(VOTER.length())));
      } else if (!line.equals(JOINED)) {
        throw new DataDirectoryException(
            disk.location() + "/" + FILE + ": a line should begin with \"" + VOTER + "\"");
      }
    }
    return new Origin(Membership.of(voters));
  }
}
