package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.PutOptions;
import io.kvorum.disk.Disk;
import io.kvorum.node.Contradiction;
import io.kvorum.node.Divergence;
import io.kvorum.node.StateFinding;
import io.kvorum.node.StateMachine.Written;
import io.kvorum.node.StateSum;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.StateDifference.Kind;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** FAULTS F148: what a store remembers, and what a verdict about it does. */
class StateChecksTest {
  private static final StoreOptions SMALL = StoreOptions.DEFAULT.withOverlay(4, 1 << 20);

  /** A log that grows, and stores that apply it. */
  private final List<Entry> log = new ArrayList<>();

  private void add(byte[] command) {
    log.add(new Entry(log.size() + 1, 1, EntryType.COMMAND, command));
  }

  private void put(String key, String value) {
    add(Commands.put(Bytes.utf8(key), Bytes.utf8(value), PutOptions.DEFAULT, 5));
  }

  private static List<ApplyResult> catchUp(KvStateMachine machine, List<Entry> log) {
    int from = (int) machine.header().appliedIndex();
    return from == log.size() ? List.of() : machine.apply(log.subList(from, log.size()));
  }

  private static KvStateMachine machine() {
    return KvStateMachine.open(new MemoryHome(1), SMALL);
  }

  private static StateSum newest(KvStateMachine machine) {
    List<StateSum> remembered = machine.checks().remembered();
    return remembered.get(remembered.size() - 1);
  }

  @Test
  void aCheckAndAVerdictChangeNothingButThePlaceInTheLog() {
    KvStateMachine machine = machine();
    put("a", "1");
    catchUp(machine, log);
    StateHash before = machine.stateHash();
    add(Commands.check());
    catchUp(machine, log);
    add(machine.checks().verdict(newest(machine)));
    assertThat(catchUp(machine, log)).allMatch(ApplyResult.NothingApplied.class::isInstance);
    assertThat(machine.stateHash()).isEqualTo(before);
    assertThat(machine.header().revision()).isEqualTo(2);
    assertThat(machine.header().appliedIndex()).isEqualTo(3);
    assertThat(machine.checks().confirmedIndex()).isEqualTo(2);
    assertThat(machine.checks().judgedIndex()).isEqualTo(2);
    assertThat(machine.checks().finding()).isNull();
  }

  /** Whenever each of them has flushed, restarted or begun to remember. */
  @Test
  void membersRememberTheSame() {
    KvStateMachine one = machine();
    MemoryHome home = new MemoryHome(1);
    KvStateMachine other = KvStateMachine.open(home, StoreOptions.DEFAULT);
    for (int i = 0; i < 7; i++) {
      put("k" + i % 3, "v" + i);
      add(Commands.check());
      catchUp(one, log);
      catchUp(other, log);
      assertThat(newest(other)).isEqualTo(newest(one));
      if (i == 3) {
        other.flush();
        other.abandon();
        other = KvStateMachine.open(home, SMALL);
        assertThat(other.checks().remembered()).isEmpty();
      }
    }
    assertThat(one.checks().remembered())
        .extracting(StateSum::index)
        .containsExactly(8L, 10L, 12L, 14L);
  }

  @Test
  void whoRemembersAnotherHashStopsAtTheVerdict() {
    KvStateMachine machine = machine();
    put("a", "1");
    add(Commands.check());
    catchUp(machine, log);
    StateSum agreed = new StateSum(2, CheckMemory.HASH_FORMAT, "ab");
    add(Commands.verdict(agreed));
    put("b", "2");
    assertThat(catchUp(machine, log)).hasSize(1);
    assertThat(machine.header().appliedIndex()).isEqualTo(3);
    assertThat(machine.checks().finding()).isEqualTo(new Divergence(3, newest(machine), agreed));
    assertThat(machine.checks().confirmedIndex()).isZero();
  }

  /** Not of that index, or not of that format, or not any more: it could not be compared. */
  @Test
  void whatCannotBeComparedIsNeitherEqualNorDifferent() {
    KvStateMachine machine = machine();
    put("a", "1");
    add(Commands.check());
    add(Commands.verdict(new StateSum(1, CheckMemory.HASH_FORMAT, "ab")));
    add(Commands.verdict(new StateSum(2, CheckMemory.HASH_FORMAT + 1, "ab")));
    assertThat(catchUp(machine, log)).hasSize(4);
    assertThat(machine.checks().finding()).isNull();
    assertThat(machine.checks().confirmedIndex()).isZero();
    for (int i = 0; i < 4; i++) {
      add(Commands.check());
    }
    add(Commands.verdict(new StateSum(2, CheckMemory.HASH_FORMAT, "ab")));
    assertThat(catchUp(machine, log)).hasSize(5);
    assertThat(machine.checks().finding()).isNull();
  }

  @Test
  void aVerdictThatSaysNothingStopsTheNode() {
    KvStateMachine machine = machine();
    add(Commands.verdict(new StateSum(1, 1, "ab")));
    assertThatThrownBy(() -> machine.apply(log)).isInstanceOf(UnknownCommandException.class);
  }

  /** What lies in the tables is read by the next snapshot, which is not taken of it. */
  @Test
  void aByteThatChangesByItselfIsFoundByASnapshotAndShowsAtTheNextCheck() {
    MemoryHome home = new MemoryHome(1);
    KvStateMachine wrong = KvStateMachine.open(home, SMALL.withCacheBytesMax(0));
    KvStateMachine right = machine();
    for (int i = 0; i < 9; i++) {
      put("k" + i, "v");
    }
    catchUp(wrong, log);
    catchUp(right, log);
    wrong.flush();
    assertThat(home.flip(0.5)).isTrue();
    add(Commands.check());
    catchUp(wrong, log);
    catchUp(right, log);
    assertThat(newest(wrong)).as("nobody has read it").isEqualTo(newest(right));

    Disk files = Installs.directory();
    assertThatThrownBy(() -> wrong.checkpoint().writeTo(files))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("not what was written");
    add(Commands.check());
    catchUp(wrong, log);
    catchUp(right, log);
    assertThat(newest(wrong).contradicts(newest(right))).isTrue();
    assertThatThrownBy(() -> wrong.checkpoint().writeTo(Installs.directory()))
        .isInstanceOf(UncheckedIOException.class);

    Disk good = Installs.directory();
    right.checkpoint().writeTo(good);
    StateDifference found = StateDifference.between(new MemoryHome(0), files, good, 10);
    assertThat(found.count()).isEqualTo(1);
    assertThat(found.rows())
        .containsExactly(new StateDifference.Row(Table.LATEST, Bytes.utf8("k4"), Kind.DIFFERENT));
  }

  /** What a person wants to know of the evidence: not what has happened since. */
  @Test
  void ofAStateThatStoppedOnlyItsOwnMistakesAreFound() {
    KvStateMachine wrong = machine();
    KvStateMachine right = machine();
    for (int i = 0; i < 6; i++) {
      put("k" + i, "v");
    }
    catchUp(right, log);
    List<Entry> altered = new ArrayList<>(log);
    byte[] other = Commands.put(Bytes.utf8("k4"), Bytes.utf8("w"), PutOptions.DEFAULT, 5);
    altered.set(4, new Entry(5, 1, EntryType.COMMAND, other));
    altered.set(5, Entry.noOp(6, 1));
    catchUp(wrong, altered);
    put("k1", "later");
    put("new", "later");
    add(Commands.deleteRange(KeyRange.single(Bytes.utf8("k2")), DeleteOptions.DEFAULT, 5));
    catchUp(right, log);
    wrong.flush();
    right.flush();
    StateDifference found = StateDifference.sinceStopped(wrong.tables(), right.tables(), 10);
    assertThat(found.rows())
        .containsExactly(new StateDifference.Row(Table.LATEST, Bytes.utf8("k4"), Kind.DIFFERENT));
    assertThat(StateDifference.between(wrong.tables(), right.tables(), 10).count()).isEqualTo(5);
  }

  /** Else the first snapshot after a restart would pass on what was found to be wrong before. */
  @Test
  void aByteThatChangedByItselfIsFoundAgainAfterARestart() {
    MemoryHome home = new MemoryHome(1);
    KvStateMachine wrong = KvStateMachine.open(home, SMALL.withCacheBytesMax(0));
    for (int i = 0; i < 9; i++) {
      put("k" + i, "v");
    }
    catchUp(wrong, log);
    wrong.flush();
    assertThat(home.flip(0.5)).isTrue();
    assertThatThrownBy(() -> wrong.checkpoint().writeTo(Installs.directory()))
        .isInstanceOf(UncheckedIOException.class);
    put("other", "v");
    add(Commands.check());
    catchUp(wrong, log);
    wrong.close();

    KvStateMachine again = KvStateMachine.open(home, SMALL);
    assertThatThrownBy(() -> again.checkpoint().writeTo(Installs.directory()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("not what was written");
  }

  /** A row that was overwritten is right again, and a majority that says so ends the doubt. */
  @Test
  void aDoubtEndsWhenAMajorityHasTheSame() {
    MemoryHome home = new MemoryHome(1);
    KvStateMachine machine = KvStateMachine.open(home, SMALL.withCacheBytesMax(0));
    put("a", "1");
    catchUp(machine, log);
    machine.flush();
    assertThat(home.flip(0)).isTrue();
    assertThatThrownBy(() -> machine.checkpoint().writeTo(Installs.directory()))
        .isInstanceOf(UncheckedIOException.class);
    put("a", "2");
    add(Commands.check());
    catchUp(machine, log);
    KvStateMachine right = machine();
    catchUp(right, log);
    assertThat(newest(machine)).isEqualTo(newest(right));
    add(Commands.verdict(newest(right)));
    catchUp(machine, log);
    Written written = machine.checkpoint().writeTo(Installs.directory());
    assertThat(written.meta().last().index()).isEqualTo(log.size());
  }

  /** Nothing of the entry reaches the tables, and only another state ends it. */
  @Test
  void aStateThatContradictsTheLogAppliesNothingMoreUntilItIsReplaced() {
    MemoryHome home = new MemoryHome(1);
    KvStateMachine wrong = KvStateMachine.open(home, SMALL.withCacheBytesMax(0));
    KvStateMachine right = machine();
    add(Commands.leaseGrant(7, 60_000, 5));
    add(Commands.put(Bytes.utf8("a"), Bytes.utf8("1"), PutOptions.DEFAULT.withLease(7), 5));
    add(Commands.put(Bytes.utf8("b"), Bytes.utf8("2"), PutOptions.DEFAULT.withLease(7), 5));
    catchUp(wrong, log);
    wrong.flush();
    Tables tables = (Tables) wrong.tables();
    TableBatch lost = tables.batch();
    lost.delete(Table.LATEST, Bytes.utf8("b").toByteArray());
    tables.write(lost);

    put("c", "3");
    add(Commands.leaseRevoke(7, 5));
    put("d", "4");
    catchUp(right, log);
    assertThat(catchUp(wrong, log)).as("results of what came before").hasSize(1);
    assertThat(wrong.header().appliedIndex()).isEqualTo(4);
    StateFinding finding = wrong.checks().finding();
    assertThat(finding).isInstanceOf(Contradiction.class).asString().contains("entry 5", "lease 7");
    assertThat(wrong.prepareCompaction(10)).isNull();
    assertThatThrownBy(() -> wrong.apply(log.subList(5, 6)))
        .isInstanceOf(IllegalStateException.class);

    Disk evidence = Installs.directory();
    assertThatThrownBy(() -> wrong.checkpoint().writeTo(evidence))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(evidence.list()).isNotEmpty();
    Disk files = Installs.directory();
    Written written = right.checkpoint().writeTo(files);
    wrong.install(files, written.meta());
    assertThat(wrong.checks().finding()).isNull();
    put("e", "5");
    catchUp(right, log);
    catchUp(wrong, log);
    assertThat(wrong.stateHash()).isEqualTo(right.stateHash());
  }

  /** It may have made revisions that nobody else has. */
  @Test
  void aStateThatIsWrongIsReplacedByOneThatLooksOlder() {
    KvStateMachine right = machine();
    for (int i = 0; i < 5; i++) {
      put("a", "v" + i);
    }
    catchUp(right, log);
    List<Entry> other = new ArrayList<>(log);
    log.clear();
    for (int i = 0; i < 4; i++) {
      add(Commands.deleteRange(KeyRange.all(), DeleteOptions.DEFAULT, 5));
    }
    KvStateMachine old = machine();
    catchUp(old, log);
    other.subList(4, 5).forEach(entry -> log.add(new Entry(5, 1, entry.type(), entry.payload())));
    catchUp(old, log);
    Disk files = Installs.directory();
    Written written = old.checkpoint().writeTo(files);
    assertThat(written.meta().last())
        .isEqualTo(right.checkpoint().writeTo(Installs.directory()).meta().last());
    assertThatThrownBy(() -> right.install(files, written.meta()))
        .isInstanceOf(IllegalStateException.class);
    right.checks().distrust();
    right.install(files, written.meta());
    assertThat(right.stateHash()).isEqualTo(old.stateHash());
    assertThat(right.checks().remembered()).isEmpty();
  }

  @Test
  void theRowsInWhichTwoStatesDifferAreNamed() {
    KvStateMachine one = machine();
    KvStateMachine other = machine();
    put("a", "same");
    put("b", "1");
    put("c", "gone");
    catchUp(one, log);
    log.set(
        1,
        new Entry(
            2,
            1,
            EntryType.COMMAND,
            Commands.put(Bytes.utf8("b"), Bytes.utf8("2"), PutOptions.DEFAULT, 5)));
    log.set(
        2,
        new Entry(
            3,
            1,
            EntryType.COMMAND,
            Commands.put(Bytes.utf8("d"), Bytes.utf8("new"), PutOptions.DEFAULT, 5)));
    catchUp(other, log);
    one.flush();
    other.flush();
    StateDifference found = StateDifference.between(one.tables(), other.tables(), 10);
    assertThat(found.rows())
        .containsExactly(
            new StateDifference.Row(Table.LATEST, Bytes.utf8("b"), Kind.DIFFERENT),
            new StateDifference.Row(Table.LATEST, Bytes.utf8("c"), Kind.ONLY_FIRST),
            new StateDifference.Row(Table.LATEST, Bytes.utf8("d"), Kind.ONLY_SECOND));
    assertThat(StateDifference.between(one.tables(), other.tables(), 1))
        .extracting(each -> each.rows().size(), StateDifference::count)
        .containsExactly(1, 3L);
    assertThat(StateDifference.between(one.tables(), one.tables(), 1).count()).isZero();
  }
}
