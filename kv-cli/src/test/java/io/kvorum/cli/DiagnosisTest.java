package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.DirectoryReport;
import io.kvorum.node.Divergence;
import io.kvorum.node.QuarantineMark;
import io.kvorum.node.Rebuild;
import io.kvorum.node.StateSum;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.inspect.SnapshotLook;
import io.kvorum.server.inspect.StateLook;
import io.kvorum.server.store.StateHash;
import io.kvorum.server.store.StateReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the doctor says about several directories of one cluster. */
class DiagnosisTest {
  private static final Membership MEMBERS = Membership.of(Set.of(node(1), node(2), node(3)));
  private static final Divergence WRONG =
      new Divergence(70, new StateSum(60, 1, "aa"), new StateSum(60, 1, "bb"));

  private static NodeId node(int number) {
    return new NodeId("n" + number);
  }

  private static NodeLook look(int number, EntryId last, HardState vote, List<String> damages) {
    return look(number, last, vote, null, damages);
  }

  private static NodeLook look(
      int number,
      EntryId last,
      @Nullable HardState vote,
      QuarantineMark.@Nullable Found quarantine,
      List<String> damages) {
    List<String> problems = vote == null ? List.of("there is no vote file") : List.of();
    DirectoryReport identity =
        new DirectoryReport(
            "c", node(number), "ready", vote, MEMBERS, null, quarantine, List.of(), problems);
    StateReport state = new StateReport(new EntryId(80, 4), 70, 0, MEMBERS, StateHash.ZERO);
    EntryId reached = damages.isEmpty() ? last : new EntryId(120, 5);
    return new NodeLook(
        Path.of("/d" + number),
        identity,
        new NodeLook.Log(new EntryId(10, 1), last, reached, terms(last), damages, null),
        new StateLook(state, StateLook.Condition.SOUND, null),
        null,
        List.of(),
        List.of(),
        MEMBERS);
  }

  private static List<EntryId> terms(EntryId last) {
    return List.of(new EntryId(11, 1), new EntryId(70, 4), new EntryId(90, last.term()));
  }

  private static HardState vote() {
    return new HardState(5, node(1));
  }

  private static String diagnosis(NodeLook... looks) {
    return String.join("\n", new Diagnosis(List.of(looks), Map.of()).lines());
  }

  @Test
  void aMajorityThatIsSoundIsToBeStartedAndTheOthersGetBackWhatTheyLack() {
    String text =
        diagnosis(
            look(1, new EntryId(100, 5), vote(), List.of()),
            look(2, new EntryId(110, 5), vote(), List.of()),
            look(3, new EntryId(90, 5), vote(), List.of("segment is damaged")));
    assertThat(text)
        .contains("newest      n2, to 110@5")
        .contains("start [n1, n2] with their directories: they are a majority, nothing is lost")
        .contains("start [n3] too: what they lack they get from the others, and then vote")
        .doesNotContain("recover")
        .endsWith("doctor: DAMAGED, 3 of 3 voters seen, 2 sound; 1 problems of n3");
  }

  @Test
  void whoHasForgottenItsVoteIsReplaced() {
    String text =
        diagnosis(
            look(1, new EntryId(100, 5), vote(), List.of()),
            look(2, new EntryId(100, 5), vote(), List.of()),
            look(3, new EntryId(100, 5), null, null, List.of()));
    assertThat(text)
        .contains("n3 cannot return: start a new node with --join and an empty directory")
        .contains("kvorum members replace n3 NEW=HOST:CLIENT:PEER");
  }

  /** Of those that are left the one with most is recovered, and what that loses is said. */
  @Test
  void withoutAMajorityTheNewestUndamagedOneIsTheWayBack() {
    String text =
        diagnosis(
            look(1, new EntryId(100, 5), vote(), List.of()),
            look(2, new EntryId(110, 5), vote(), List.of("segment is damaged")));
    assertThat(text)
        .contains("not seen    [n3]")
        .contains("start [n1], and at least 1 of [n3], if that can be: with 2 of 3 voters")
        .contains("only if these are lost for good: ")
        .contains("Acknowledged writes that only others held are lost")
        .contains("up to 20 entries behind 80@4 become committed")
        .contains("n1, to 100@5 in /d1, loses the entries 101 to 120, which n2 once had")
        .contains("kvorum recover --data-dir /d1 --node-id n1 --new-cluster-id NEW");
  }

  @Test
  void whereNoneIsUndamagedOnlyABackupIsLeft() {
    String text =
        diagnosis(
            look(1, new EntryId(100, 5), vote(), List.of("one")),
            look(2, new EntryId(110, 5), vote(), List.of("two")),
            look(3, new EntryId(90, 5), vote(), List.of("three")));
    assertThat(text)
        .contains("no majority is left. ")
        .contains("bring back a backup, kvorum restore")
        .doesNotContain("kvorum recover");
  }

  /** It could start, and would rebuild itself; but nobody may base a cluster on it. */
  @Test
  void aStateThatIsKnownToBeWrongIsNotSoundAndNotRecovered() {
    QuarantineMark.Found open = new QuarantineMark.Found(true, 1, WRONG);
    NodeLook wrong = look(2, new EntryId(110, 5), vote(), open, List.of());
    String text = diagnosis(look(1, new EntryId(100, 5), vote(), List.of()), wrong);
    assertThat(text)
        .contains("mark        quarantined: its state behind entry 60 has hash aa")
        .contains("kvorum recover --data-dir /d1")
        .endsWith("2 of 3 voters seen, 1 sound; 0 problems of n2");
    assertThat(diagnosis(wrong)).doesNotContain("kvorum recover").contains("kvorum restore");
  }

  @Test
  void oneThatWasRebuiltIsSound() {
    QuarantineMark.Found over = new QuarantineMark.Found(false, 2, WRONG);
    NodeLook rebuilt = look(1, new EntryId(100, 5), vote(), over, List.of());
    NodeLook other = look(2, new EntryId(100, 5), vote(), List.of());
    Diagnosis diagnosis =
        new Diagnosis(List.of(rebuilt, other), Map.of(Path.of("/d1"), "differs in 1 keys: \"a\""));
    assertThat(diagnosis.isSound()).isTrue();
    assertThat(diagnosis.lines())
        .contains("mark        rebuilt: " + WRONG, "evidence    differs in 1 keys: \"a\"")
        .endsWith("doctor: OK, 2 of 3 voters seen, 2 sound");
  }

  /** The file that names them is gone, and no entry does yet; nothing else is wrong. */
  @Test
  void withoutKnownMembersNobodyIsSentToARecovery() {
    NodeLook whole = look(1, new EntryId(100, 5), vote(), List.of());
    NodeLook lonely =
        new NodeLook(
            whole.directory(),
            whole.identity(),
            whole.log(),
            whole.state(),
            null,
            List.of(),
            List.of(),
            Membership.EMPTY);
    assertThat(diagnosis(lonely))
        .contains("members     not known", "do          start what is here: ")
        .doesNotContain("recover", "else")
        .contains("doctor: OK");
  }

  private static NodeLook changed(
      NodeLook look, DirectoryReport identity, StateLook state, @Nullable Rebuild rebuild) {
    return new NodeLook(
        look.directory(),
        identity,
        look.log(),
        state,
        rebuild,
        look.snapshots(),
        List.of(),
        MEMBERS);
  }

  private static DirectoryReport identity(String state, @Nullable String installing) {
    List<String> problems = state.equals("ready") ? List.of() : List.of("half recovered");
    return new DirectoryReport(
        "new", node(1), state, vote(), MEMBERS, installing, null, List.of(), problems);
  }

  /** What a start rebuilds by itself takes no promise with it: such a node votes. */
  @Test
  void whoBuildsItsStateAnewCountsForTheMajority() {
    StateLook broken = new StateLook(null, StateLook.Condition.BROKEN, "CURRENT is missing");
    NodeLook whole = look(1, new EntryId(100, 5), vote(), List.of());
    Rebuild rebuild = new Rebuild(new EntryId(70, 4));
    NodeLook rebuilds = changed(whole, whole.identity(), broken, rebuild);
    String text = diagnosis(rebuilds, look(2, new EntryId(100, 5), vote(), List.of()));
    assertThat(text)
        .contains("state       cannot be opened; a start will build it anew from snapshot 70@4 and")
        .contains("start [n1, n2] with their directories: they are a majority")
        .endsWith("2 of 3 voters seen, 1 sound, 1 to build their state anew; 1 problems of n1");
    assertThat(diagnosis(rebuilds))
        .contains("up to 30 entries behind 70@4 become committed")
        .contains("n1, to 100@5 in /d1, loses nothing that is seen here");
    assertThat(diagnosis(changed(whole, whole.identity(), broken, new Rebuild(EntryId.ZERO))))
        .contains("up to 100 entries become committed");
    assertThat(diagnosis(changed(whole, whole.identity(), broken, null)))
        .contains("neither snapshots nor log suffice", "No directory here can be recovered");
  }

  /** An old term's entries may be more, and yet none of those that count. */
  @Test
  void eachWayBackIsComparedWithWhoHasMostOfTheNewestTerm() {
    NodeLook longest = look(1, new EntryId(119, 4), vote(), List.of());
    NodeLook newest = look(2, new EntryId(90, 6), null, null, List.of());
    String text = diagnosis(longest, newest);
    assertThat(text)
        .contains("newest      n2, to 90@6")
        .contains("n1, to 119@4 in /d1, loses what n2 has of the terms 5 to 6")
        .contains("kvorum recover --data-dir /d1 --node-id n1");
  }

  @Test
  void aRecoveryThatWasCutShortIsToBeGoneOnWith() {
    NodeLook whole = look(1, new EntryId(100, 5), vote(), List.of());
    NodeLook half = changed(whole, identity("recovering", null), whole.state(), null);
    assertThat(diagnosis(half))
        .contains(
            "do          kvorum recover --data-dir /d1 --node-id n1 --new-cluster-id new --yes")
        .doesNotContain("start [", "restore", "members replace");
  }

  /** What every kill leaves: nothing of it is damage, and nobody shall think so. */
  @Test
  void whatAKillLeavesIsSaidCalmly() {
    NodeLook whole = look(1, new EntryId(100, 5), vote(), List.of());
    assertThat(diagnosis(whole))
        .contains(
            "to apply    a start applies the entries 81 to 100@5, which are in the log and not")
        .contains("usual after a kill, and no damage");
    String name = "00000000000000000090-5";
    StateLook half = new StateLook(null, StateLook.Condition.BROKEN, "half a copy");
    SnapshotLook snapshot = new SnapshotLook("/d1/snapshots/" + name, null, null);
    NodeLook installing =
        new NodeLook(
            whole.directory(),
            identity("ready", name),
            whole.log(),
            half,
            null,
            List.of(snapshot),
            List.of(),
            MEMBERS);
    assertThat(installing.isSound()).isTrue();
    assertThat(diagnosis(installing))
        .contains("state       is being replaced by snapshot " + name)
        .contains("the next start finishes that, nothing is lost")
        .contains("doctor: OK")
        .doesNotContain("damaged");
    assertThat(changed(whole, installing.identity(), half, null).problems())
        .containsExactly(
            "the state was being replaced by snapshot " + name + ", which is damaged or not there");
  }

  private static NodeLook applied(NodeLook look, EntryId applied) {
    StateReport state = new StateReport(applied, 70, 0, MEMBERS, StateHash.ZERO);
    return changed(
        look, look.identity(), new StateLook(state, StateLook.Condition.SOUND, null), null);
  }

  /** Each of them is whole, and a start of the two would forget what was acknowledged. */
  @Test
  void whatAnotherHasAppliedProvesThatTheMajorityIsOlder() {
    NodeLook one = look(1, new EntryId(100, 5), vote(), List.of());
    NodeLook two = look(2, new EntryId(110, 5), vote(), List.of());
    NodeLook holder = applied(look(3, new EntryId(300, 5), vote(), List.of()), new EntryId(250, 5));
    String text = diagnosis(one, two, holder);
    assertThat(text)
        .contains("older       [n1, n2] end before 250@5, which n3 has applied")
        .contains("do not start these")
        .contains("kvorum recover --data-dir /d3 --node-id n3")
        .contains("n2, to 110@5 in /d2, loses the entries 111 to 300, which n3 has")
        .doesNotContain("start [")
        .endsWith("doctor: DAMAGED, 3 of 3 voters seen, 3 sound; [n1, n2] lack what was committed");
    assertThat(diagnosis(one, applied(two, new EntryId(110, 5)), holder)).contains("older");
    assertThat(diagnosis(one, look(2, new EntryId(250, 5), vote(), List.of()), holder))
        .as("one may always be behind")
        .contains("start [n1, n2, n3]", "doctor: OK");
  }

  @Test
  void whoLeavesStillHasASayInAJointGroup() {
    Membership joint =
        new Membership(
            new TreeSet<>(Set.of(node(1))),
            new TreeSet<>(Set.of(node(2))),
            new TreeSet<>(),
            new TreeMap<>());
    NodeLook look = look(1, new EntryId(100, 5), vote(), List.of());
    NodeLook alone =
        new NodeLook(
            look.directory(),
            look.identity(),
            look.log(),
            look.state(),
            null,
            List.of(),
            List.of(),
            joint);
    assertThat(diagnosis(alone))
        .contains("not seen    [n2]", "a majority of [n1] and one of [n2]")
        .doesNotContain("they are a majority, nothing is lost");
  }

  @Test
  void whoseDirectoryItWasIsNotGuessed() {
    NodeLook one = look(1, new EntryId(100, 5), vote(), List.of());
    NodeLook two = look(2, new EntryId(100, 5), vote(), List.of());
    DirectoryReport lost =
        new DirectoryReport(
            null,
            null,
            null,
            vote(),
            MEMBERS,
            null,
            null,
            List.of(),
            List.of("/d3/identity: the file is missing"));
    NodeLook nameless = look(3, new EntryId(100, 5), vote(), List.of());
    assertThat(diagnosis(one, two, changed(nameless, lost, nameless.state(), null)))
        .contains("start [n1, n2] with their directories: they are a majority, nothing is lost")
        .contains(
            "/d3 cannot return, since nobody knows whose it was. If it was one of [n3]: start")
        .endsWith("doctor: DAMAGED, 2 of 3 voters seen, 2 sound; 1 problems of /d3");
  }

  @Test
  void directoriesOfSeveralClustersAreToBeLookedAtOneByOne() {
    NodeLook one = look(1, new EntryId(100, 5), vote(), List.of());
    assertThat(diagnosis(one, changed(one, identity("ready", null), one.state(), null)))
        .contains("kvorum doctor /d1 of c", "kvorum doctor /d1 of new")
        .endsWith("doctor: DAMAGED, these are of different clusters: [c, new]");
  }

  /** A start of both would be two nodes with one vote. */
  @Test
  void twoCopiesOfOneNodeAreNotSound() {
    NodeLook one = look(1, new EntryId(100, 5), vote(), List.of());
    NodeLook newer = look(1, new EntryId(120, 5), vote(), List.of());
    Diagnosis copies = new Diagnosis(List.of(one, newer), Map.of());
    assertThat(copies.isSound()).isFalse();
    assertThat(copies.lines())
        .contains(
            "twice       n1: /d1 /d1: start one of them only, the one with most, and never another"
                + " again");
  }

  private static NodeLook hashed(NodeLook look, EntryId applied, StateHash hash) {
    StateReport state = new StateReport(applied, 70, 0, MEMBERS, hash);
    return changed(
        look, look.identity(), new StateLook(state, StateLook.Condition.SOUND, null), null);
  }

  /** Older copies were started alone, and have a later term than what they lack. */
  @Test
  void historiesThatHavePartedAreNotPutTogether() {
    NodeLook one = applied(look(1, new EntryId(95, 5), vote(), List.of()), new EntryId(95, 5));
    NodeLook two = applied(look(2, new EntryId(95, 5), vote(), List.of()), new EntryId(95, 5));
    NodeLook three = applied(look(3, new EntryId(300, 4), vote(), List.of()), new EntryId(250, 4));
    assertThat(diagnosis(one, two, three))
        .contains("apart       n1 has applied 95@5, and n3 has applied 95@4: they exclude")
        .contains("kvorum recover --data-dir /d1", "kvorum recover --data-dir /d3")
        .doesNotContain("nothing is lost", "start [")
        .endsWith("3 of 3 voters seen, 3 sound; their histories exclude each other");
  }

  @Test
  void statesThatDifferAtOneEntryHaveParted() {
    EntryId at = new EntryId(95, 5);
    NodeLook one = hashed(look(1, at, vote(), List.of()), at, StateHash.ZERO);
    StateHash another = new StateHash(1, 2);
    NodeLook other = hashed(look(2, at, vote(), List.of()), at, another);
    assertThat(diagnosis(one, other))
        .contains("apart       n1 and n2 have both applied 95@5, and their states differ");
    assertThat(new Diagnosis(List.of(one, one), Map.of()).lines().toString())
        .doesNotContain("apart");
  }

  /** What a node that was killed has applied is behind its log; but its log has a later term. */
  @Test
  void whoKnowsNoTermOfALogWasNotThereWhenItWasWritten() {
    NodeLook one = look(1, new EntryId(100, 2), new HardState(2, null), List.of());
    NodeLook two = look(2, new EntryId(100, 2), new HardState(3, null), List.of());
    NodeLook three = look(3, new EntryId(200, 4), vote(), List.of());
    assertThat(diagnosis(one, two, three))
        .contains("older       [n1, n2] know of no term as late as that of 200@4, which n3 has")
        .endsWith("[n1, n2] lack what was committed");
    NodeLook there = look(2, new EntryId(100, 2), new HardState(4, null), List.of());
    assertThat(diagnosis(one, there, three)).contains("start [n1, n2, n3]", "doctor: OK");
  }
}
