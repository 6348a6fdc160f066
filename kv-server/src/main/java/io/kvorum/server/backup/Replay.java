package io.kvorum.server.backup;

import io.kvorum.api.Header;
import io.kvorum.log.ArchivedEntries;
import io.kvorum.log.CorruptArchiveException;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.StoreOptions;
import io.kvorum.server.store.TablesHome;
import io.kvorum.server.store.UnknownCommandException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings a restored state further, by the entries that its cluster has archived, through the state
 * machine that the cluster itself applied them with. It ends with the first entry that makes the
 * wanted revision, or before the first one that is stamped later than the wanted time; else with
 * the archive.
 *
 * @param revision to reach; 0: any
 * @param timeMillis not to pass; 0: any
 */
record Replay(ArchivedEntries archive, long revision, long timeMillis) {
  /** What is to be replayed on a backup's state, or null: it goes far enough itself. */
  static @Nullable Replay of(StateSummary given, Restore.Options options) {
    long revision = options.state().revision();
    ArchivedEntries archive = options.archive();
    if (archive == null || (revision > 0 && revision <= given.revision())) {
      return null;
    }
    if (options.timeMillis() > 0 && options.timeMillis() < given.logTimeMillis()) {
      throw new BackupException(
          "the backup is as of %s, later than %s: take an older one, or --at-revision"
              .formatted(text(given.logTimeMillis()), text(options.timeMillis())));
    }
    return new Replay(archive, revision, options.timeMillis());
  }

  /**
   * Replays what there is on what a home holds.
   *
   * @throws BackupException if the archive is damaged, has a gap or does not reach so far
   */
  void run(TablesHome home) {
    KvStateMachine machine = KvStateMachine.open(home, StoreOptions.DEFAULT);
    boolean complete = false;
    try {
      replay(machine);
      machine.close();
      complete = true;
    } catch (CorruptArchiveException | UnknownCommandException unusable) {
      throw new BackupException(String.valueOf(unusable.getMessage()), unusable);
    } finally {
      if (!complete) {
        machine.abandon();
      }
    }
  }

  private void replay(KvStateMachine machine) {
    while (true) {
      Header now = machine.header();
      List<Entry> page = archive.after(new EntryId(now.appliedIndex(), now.term()));
      if (page.isEmpty()) {
        checkReached(now);
        return;
      }
      for (Entry entry : page) {
        if (isEnough(machine.header(), entry)) {
          return;
        }
        List<ApplyResult> unused = machine.apply(List.of(entry));
      }
    }
  }

  private boolean isEnough(Header now, Entry next) {
    boolean isThere = revision > 0 && now.revision() >= revision;
    boolean isLater = timeMillis > 0 && Commands.timeMillis(next) > timeMillis;
    return isThere || isLater;
  }

  private void checkReached(Header now) {
    boolean isThere = revision == 0 || now.revision() >= revision;
    boolean isLate = timeMillis == 0 || now.logTimeMillis() >= timeMillis;
    if (!isThere || !isLate) {
      throw new BackupException(
          "the archive ends with entry %d, at revision %d and %s, before %s"
              .formatted(
                  now.appliedIndex(),
                  now.revision(),
                  text(now.logTimeMillis()),
                  isThere ? text(timeMillis) : "revision " + revision));
    }
  }

  private static String text(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }
}
