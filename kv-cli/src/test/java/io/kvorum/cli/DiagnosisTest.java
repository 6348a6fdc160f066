package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.DirectoryReport;
import io.kvorum.node.Divergence;
import io.kvorum.node.QuarantineMark;
import io.kvorum.node.StateSum;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.inspect.StateLook;
import io.kvorum.server.store.StateHash;
import io.kvorum.server.store.StateReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        new DirectoryReport("c", node(number), "ready", vote, MEMBERS, null, quarantine, problems);
    StateReport state = new StateReport(new EntryId(80, 4), 70, 0, MEMBERS, StateHash.ZERO);
    return new NodeLook(
        Path.of("/d" + number),
        identity,
        new NodeLook.Log(new EntryId(10, 1), last, new EntryId(120, 5), damages, null),
        new StateLook(state, StateLook.Condition.SOUND, null),
        null,
        List.of(),
        MEMBERS);
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
}
