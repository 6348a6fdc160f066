package io.kvorum.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFullException;
import io.kvorum.log.CorruptLogException;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogDamage;
import io.kvorum.log.LogInspection;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the log of a member, and if it is damaged where it was durable, lets the group give back
 * what is lost (docs/adr/0015). Each step is durable before the next one begins:
 *
 * <ol>
 *   <li>the vote file says that entries are lost, and that the node is in a new term: from now on
 *       it does not vote, whatever its log holds ({@link HardState#lostTerm});
 *   <li>the damaged files are copied to {@code damaged/}, for a person to look at;
 *   <li>the log is cut to what is whole of it;
 *   <li>if that ends before the state, the log is emptied and goes on behind the state.
 * </ol>
 *
 * <p>After the first step any beginning of the log is as good as another, so a start after a crash
 * simply goes on. The core takes the note away when the log holds all that was promised.
 */
final class LogRepair {
  private static final Logger LOG = LoggerFactory.getLogger(LogRepair.class);

  static final String DAMAGED = "damaged";
  private static final String ABOUT = "about.txt";

  /** A small group cannot elect anybody without the node that must not vote. */
  private static final int VOTERS_MIN = 3;

  private static final int KEPT_FILES_MAX = 2;

  private final Disk disk;
  private final Disk logDirectory;
  private final NodeId self;
  private final LogConfig config;
  private final RandomGenerator random;

  /**
   * The log of a data directory.
   *
   * @param disk the data directory
   */
  LogRepair(Disk disk, NodeId self, LogConfig config, RandomGenerator random) {
    this.disk = disk;
    this.logDirectory = disk.directory(DataDirectory.LOG);
    this.self = self;
    this.config = config;
    this.random = random;
  }

  /**
   * Whether the others can elect a leader without this node: only from a leader what is lost can
   * come back. A node that does not know its group has joined one, or is about to.
   */
  static boolean hasHelp(Membership members, NodeId self) {
    return canSpare(members.voters(), self) && canSpare(members.outgoing(), self);
  }

  private static boolean canSpare(SortedSet<NodeId> voters, NodeId self) {
    return !voters.contains(self) || voters.size() >= VOTERS_MIN;
  }

  /**
   * Opens the log so that the state goes on from it.
   *
   * @param applied what the state machine has durably applied
   * @throws CorruptLogException if it is damaged, and nobody can help
   */
  LogStore open(VoteFile vote, Executor background, EntryId applied, Membership members) {
    LogStore log = openWhole(vote, background, applied.index(), members);
    boolean complete = false;
    try {
      if (log.compacted().index() > applied.index() && hasHelp(members, self)) {
        lose(vote, "the log begins after " + log.compacted() + ", the state ends with " + applied);
      }
      if (isRepairing(vote) && !contains(log, applied)) {
        log.reset(applied);
      }
      complete = true;
      return log;
    } finally {
      if (!complete) {
        log.close();
      }
    }
  }

  /** Opens the log, or what is whole of it; the state may be ahead of that. */
  LogStore openWhole(VoteFile vote, Executor background, long appliedIndex, Membership members) {
    // As long as something is lacking, the log may end before the state: see open.
    long knownDurable = isRepairing(vote) ? 0 : appliedIndex;
    try {
      return LogStore.open(logDirectory, config, background, random, knownDurable);
    } catch (CorruptLogException damaged) {
      if (damaged.isOfAnotherVersion() || !hasHelp(members, self)) {
        throw damaged;
      }
      begin(vote, damaged, knownDurable);
      return LogStore.open(logDirectory, config, background, random, 0);
    }
  }

  private void begin(VoteFile vote, CorruptLogException damaged, long knownDurable) {
    try (LogInspection found = LogInspection.of(logDirectory, knownDurable)) {
      // First of all: with a shortened log this node must never vote, whatever happens next.
      lose(vote, damaged.damage().toString());
      keepEvidence(found.damages().isEmpty() ? List.of(damaged.damage()) : found.damages());
      LOG.warn(
          "{}: of the log up to {} what is whole ends with {}; the rest is fetched from the leader."
              + " Until it is there the node does not vote",
          disk.location(),
          found.highest(),
          found.last());
      found.cut();
    }
  }

  private void lose(VoteFile vote, String why) {
    LOG.warn("{} has lost entries that it had promised to keep: {}", disk.location(), why);
    vote.store(vote.load().losing());
  }

  static boolean isRepairing(VoteFile vote) {
    return vote.load().hasLost();
  }

  static boolean contains(LogStore log, EntryId id) {
    return log.compacted().index() <= id.index()
        && id.index() <= log.last().index()
        && (id.index() == 0 || log.term(id.index()) == id.term());
  }

  /** Of the newest repair only, and not all of a log that is damaged all over. */
  private void keepEvidence(List<LogDamage> damages) {
    disk.deleteDirectory(DAMAGED);
    try {
      Disk target = disk.directory(DAMAGED);
      Set<String> names = new LinkedHashSet<>();
      StringBuilder about = new StringBuilder();
      for (LogDamage damage : damages) {
        about.append(damage).append('\n');
        names.add(damage.file().substring(damage.file().lastIndexOf('/') + 1));
      }
      target.replace(ABOUT, about.toString().getBytes(UTF_8));
      names.stream()
          .filter(logDirectory::exists)
          .limit(KEPT_FILES_MAX)
          .forEach(name -> logDirectory.copy(name, target));
      target.syncDirectory();
    } catch (DiskFullException full) {
      LOG.warn("{}: no space to keep what is damaged: {}", disk.location(), full.toString());
      disk.deleteDirectory(DAMAGED);
    }
  }
}
