package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.node.DirectoryReport;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.CorruptTablesException;
import io.kvorum.server.store.StateReport;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.rocks.RocksDamage;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * A state on disk, of which every row was read.
 *
 * @param said what it says of itself; null: there is none, or not even that can be read
 * @param problem why it is of no use, in words; null exactly if it is {@link Condition#SOUND}
 */
public record StateLook(@Nullable StateReport said, Condition condition, @Nullable String problem) {
  /** What can be done with it. */
  public enum Condition {
    /** Every row was read, and is what was written. */
    SOUND,
    /** There is none. A start makes one. */
    MISSING,
    /** It cannot be opened. A start finds that out, and puts it aside. */
    BROKEN,
    /** It can be opened, but not all of it be read: a start finds that out when it is too late. */
    DAMAGED_WITHIN,
    /**
     * Nothing says that it is damaged, but this version of Kvorum, or this user, cannot read it.
     */
    REFUSED
  }

  /** The state of a data directory, looked at without changing anything. */
  public static StateLook at(Disk dataDirectory) {
    Disk directory = DirectoryReport.state(dataDirectory);
    if (directory == null) {
      return new StateLook(null, Condition.MISSING, dataDirectory.location() + " holds no state");
    }
    try {
      if (directory instanceof RealDisk real) {
        RocksDamage.check(real);
      }
      if (home(directory).isEmpty()) {
        return new StateLook(null, Condition.MISSING, directory.location() + " holds no state");
      }
      try (TableSnapshot tables = peek(directory)) {
        return read(directory, tables);
      }
    } catch (CorruptTablesException damaged) {
      return new StateLook(null, Condition.BROKEN, String.valueOf(damaged.getMessage()));
    } catch (UncheckedIOException failed) {
      return new StateLook(null, Condition.REFUSED, String.valueOf(failed.getMessage()));
    }
  }

  private static StateLook read(Disk directory, TableSnapshot tables) {
    StateReport said = null;
    try {
      said = StateReport.of(tables);
      said.checkRows(tables);
      return new StateLook(said, Condition.SOUND, null);
    } catch (UncheckedIOException damaged) {
      return new StateLook(said, Condition.DAMAGED_WITHIN, String.valueOf(damaged.getMessage()));
    } catch (IllegalStateException wrong) {
      Condition condition = said == null ? Condition.REFUSED : Condition.DAMAGED_WITHIN;
      return new StateLook(said, condition, directory.location() + ": " + wrong.getMessage());
    }
  }

  /** Why a state in the files of a snapshot is of no use; null if every row of it was read. */
  public static @Nullable String problem(Disk files) {
    try (TableSnapshot tables = peek(files)) {
      return read(files, tables).problem();
    } catch (UncheckedIOException damaged) {
      return String.valueOf(damaged.getMessage());
    }
  }

  static TableSnapshot peek(Disk files) {
    return home(files).peek(files);
  }

  private static RocksHome home(Disk directory) {
    return RocksHome.in(directory, RocksSettings.DEFAULT);
  }

  /** The last entry in it, as it says; 0: nothing, or it cannot say. */
  public EntryId applied() {
    return said == null ? EntryId.ZERO : said.applied();
  }

  /** As of then; empty: none is known. */
  public Membership membership() {
    return said == null ? Membership.EMPTY : said.membership();
  }
}
