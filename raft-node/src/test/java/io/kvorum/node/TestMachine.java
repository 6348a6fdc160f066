package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.SnapshotMeta;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A state machine that remembers what it has applied as one number, which depends on every entry
 * and on their order, and whose snapshots have several files of several chunks.
 */
final class TestMachine implements StateMachine<Long> {
  private static final String STATE = "state";
  private static final int FLUSH_ENTRIES = 16;

  /** Everything there is, in one line. */
  record State(EntryId applied, long sum, Membership membership) {
    static final State NEW = new State(EntryId.ZERO, 0, Membership.EMPTY);

    byte[] encode() {
      String members = HexFormat.of().formatHex(membership.encode());
      return (applied.index() + " " + applied.term() + " " + sum + " " + members)
          .getBytes(US_ASCII);
    }

    static State decode(byte[] bytes) {
      String[] parts = new String(bytes, US_ASCII).split(" ", -1);
      return new State(
          new EntryId(Long.parseLong(parts[0]), Long.parseLong(parts[1])),
          Long.parseLong(parts[2]),
          Membership.decode(HexFormat.of().parseHex(parts[3])));
    }

    State apply(Entry entry) {
      long next = sum * 31 + entry.payload().length + entry.index();
      for (byte each : entry.payload()) {
        next = next * 31 + each;
      }
      Membership members =
          entry.type() == EntryType.MEMBERSHIP ? Membership.decode(entry.payload()) : membership;
      return new State(entry.id(), next, members);
    }
  }

  private final Disk disk;
  private final int ballastBytes;
  private final EntryId restored;
  private final TestChecks checks;
  private State state;
  private int unflushed;
  private boolean contradicts;
  private volatile Features used = Features.NONE;

  /**
   * The machine of a directory.
   *
   * @param ballastBytes how much a snapshot has beside the state
   * @param checkEntries between two checks; 0: there are none
   */
  TestMachine(Disk disk, int ballastBytes, long checkEntries) {
    this.checks = new TestChecks(checkEntries);
    this.disk = disk;
    this.ballastBytes = ballastBytes;
    state = disk.exists(STATE) ? State.decode(disk.read(STATE)) : State.NEW;
    restored = state.applied();
  }

  State state() {
    return state;
  }

  /** From now on the state contradicts every command, until another one is installed. */
  void contradict() {
    contradicts = true;
  }

  /** Something changes in the state that nobody has asked for; durably. */
  void corrupt() {
    state = new State(state.applied(), state.sum() ^ 1, state.membership());
    flush();
  }

  /** Of this process; a real one keeps it. */
  @Override
  public Features usedFeatures() {
    return used;
  }

  @Override
  public TestChecks checks() {
    return checks;
  }

  @Override
  public EntryId restored() {
    return restored;
  }

  @Override
  public Membership membership() {
    return state.membership();
  }

  @Override
  public List<Long> apply(List<Entry> entries) {
    List<Long> sums = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.index() != state.applied().index() + 1) {
        throw new AssertionError(entry + " after " + state.applied());
      }
      if (contradicts && entry.type() == EntryType.COMMAND) {
        checks.contradicted(entry.index(), "of this test");
        break;
      }
      state = state.apply(entry);
      sums.add(state.sum());
      if (checks.applied(entry, state.sum())) {
        used = Features.of(Feature.STATE_CHECKS);
      }
      if (++unflushed >= FLUSH_ENTRIES) {
        flush();
      }
      if (checks.finding() != null) {
        break;
      }
    }
    return sums;
  }

  private void flush() {
    unflushed = 0;
    disk.replace(STATE, state.encode());
  }

  @Override
  public Checkpoint checkpoint() {
    flush();
    State now = state;
    return files -> {
      write(files, STATE, now.encode());
      for (int i = 0; i < 2; i++) {
        write(files, "ballast-" + i, ballast(now, i));
      }
      return new Written(
          new SnapshotMeta(now.applied(), now.membership()), "about".getBytes(US_ASCII));
    };
  }

  private byte[] ballast(State of, int number) {
    byte[] bytes = new byte[ballastBytes];
    new SplittableRandom(of.sum() + number).nextBytes(bytes);
    return bytes;
  }

  private static void write(Disk files, String name, byte[] bytes) {
    try (DiskFile file = files.create(name, 0)) {
      file.write(0, ByteBuffer.wrap(bytes));
    }
  }

  /** What a home does with the state while no machine is open. */
  static void replace(Disk state, Disk files) {
    state.replace(STATE, files.read(STATE));
  }

  @Override
  public void install(Disk files, SnapshotMeta meta) {
    State arrived = State.decode(files.read(STATE));
    if (!arrived.applied().equals(meta.last())) {
      throw new AssertionError("files of " + arrived.applied() + " as " + meta.last());
    }
    for (int i = 0; i < 2; i++) {
      if (!java.util.Arrays.equals(readAll(files, "ballast-" + i), ballast(arrived, i))) {
        throw new AssertionError("ballast of another state");
      }
    }
    replace(disk, files);
    state = arrived;
    unflushed = 0;
    contradicts = false;
    checks.replaced();
  }

  private static byte[] readAll(Disk files, String name) {
    try (DiskFile file = files.open(name)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, ByteBuffer.wrap(bytes));
      return bytes;
    }
  }

  @Override
  public void close() {
    flush();
  }

  @Override
  public void abandon() {
    // Nothing is held.
  }
}
