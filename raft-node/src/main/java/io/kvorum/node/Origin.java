package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.kvorum.disk.Disk;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * With which members a data directory was made: what its group began with, as long as its log says
 * nothing else. These are written once, so that other settings at a later start cannot make another
 * group of the same log, in which two majorities decide apart.
 *
 * @param membership voters only, without addresses; empty: the node was made to join a group
 * @param group its confirmed {@link GroupMark}; {@link GroupMark#UNKNOWN} before
 * @param restored of a group that began with a state: a number that follows from that state; else 0
 */
record Origin(Membership membership, long group, long restored) {
  /** Of a node that was made to join and has not yet met its group. */
  static final Origin JOINED = new Origin(Membership.EMPTY, GroupMark.UNKNOWN, 0);

  static final String FILE = "origin";
  private static final String FORMAT = "kvorum-origin 1";
  private static final String JOINED_LINE = "joined";
  private static final String VOTER = "voter ";
  private static final String GROUP = "group ";
  private static final String RESTORED = "restored ";

  static Origin of(Membership configured) {
    return new Origin(Membership.of(configured.voters()), GroupMark.UNKNOWN, 0);
  }

  /** The same, confirmed. */
  Origin of(long confirmed) {
    return new Origin(membership, confirmed, restored);
  }

  /** The same, of a group that begins with a state from which this number follows. */
  Origin restoredFrom(long state) {
    return new Origin(membership, group, state);
  }

  /** The {@link GroupMark}: the confirmed one, else that of the founding members. */
  long mark() {
    return group != GroupMark.UNKNOWN || membership.isEmpty() ? group : founded();
  }

  /**
   * The first eight bytes, big-endian, of the SHA-256 of the voters' names, a line each, and the
   * line that says what was restored, if anything was: members that begin with different states
   * make no group.
   */
  private long founded() {
    StringBuilder names = new StringBuilder();
    membership.voters().forEach(voter -> names.append(voter).append('\n'));
    if (restored != 0) {
      names.append(RESTORED).append(Long.toHexString(restored)).append('\n');
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(names.toString().getBytes(US_ASCII));
      return GroupMark.of(ByteBuffer.wrap(digest).getLong());
    } catch (NoSuchAlgorithmException impossible) {
      throw new InvariantViolation("every Java platform has SHA-256: " + impossible);
    }
  }

  void write(Disk disk) {
    List<String> lines = new ArrayList<>();
    if (membership.isEmpty()) {
      lines.add(JOINED_LINE);
    }
    membership.voters().forEach(voter -> lines.add(VOTER + voter));
    if (group != GroupMark.UNKNOWN) {
      lines.add(GROUP + Long.toHexString(group));
    }
    if (restored != 0) {
      lines.add(RESTORED + Long.toHexString(restored));
    }
    CheckedLines.write(disk, FILE, FORMAT, lines);
  }

  /** What the directory remembers; {@link #JOINED} if nothing. */
  static Origin find(Disk disk) {
    return disk.exists(FILE) ? read(disk) : JOINED;
  }

  static Origin read(Disk disk) {
    TreeSet<NodeId> voters = new TreeSet<>();
    long group = GroupMark.UNKNOWN;
    long restored = 0;
    for (String line : CheckedLines.read(disk, FILE, FORMAT)) {
      if (line.startsWith(VOTER)) {
        voters.add(new NodeId(line.substring(VOTER.length())));
      } else if (line.startsWith(GROUP)) {
        group = Long.parseUnsignedLong(line.substring(GROUP.length()), 16);
      } else if (line.startsWith(RESTORED)) {
        restored = Long.parseUnsignedLong(line.substring(RESTORED.length()), 16);
      } else if (!line.equals(JOINED_LINE)) {
        throw new DataDirectoryException(
            "%s/%s: a line should begin with \"%s\", \"%s\" or \"%s\""
                .formatted(disk.location(), FILE, VOTER, GROUP, RESTORED));
      }
    }
    return new Origin(Membership.of(voters), group, restored);
  }
}
