package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.KnownPeers;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node concludes from what its peers answer that it is not the one they knew (F048). */
class StandingTest {
  private static final String DISOWNED = KnownPeers.WRONG_INCARNATION + "n1 came with …";

  private final List<DisownedException> ends = new ArrayList<>();

  private Standing of(int members) {
    return new Standing(roster(members), ends::add);
  }

  private static Roster roster(int members) {
    List<Member> all = new ArrayList<>();
    for (int i = 1; i <= members; i++) {
      all.add(Member.parse("n" + i + "=h" + i + ":1:2"));
    }
    return new Roster(ServerConfig.embedded(Path.of("unused")).members(all).build());
  }

  private static NodeId node(int number) {
    return new NodeId("n" + number);
  }

  @Test
  void itTakesAMajorityOfTheOtherVoters() {
    Standing standing = of(5);
    standing.heard(node(2), DISOWNED);
    standing.heard(node(3), DISOWNED);
    assertThat(ends).as("two of four may be wrong").isEmpty();
    assertThat(standing.disownedBy())
        .hasValueSatisfying(text -> assertThat(text).contains("[n2, n3]"));
    standing.heard(node(4), DISOWNED);
    assertThat(ends)
        .singleElement()
        .satisfies(end -> assertThat(end).hasMessageContaining("3 of 4 other voters"));
  }

  @Test
  void whoHasLeftTheGroupIsNotNamed() {
    Roster roster = roster(3);
    Standing standing = new Standing(roster, ends::add);
    standing.heard(node(2), "wrong cluster: …");
    standing.heard(node(3), DISOWNED);
    roster.changed(Membership.of(List.of(node(1), node(2))));
    assertThat(standing.disownedBy()).isEmpty();
    assertThat(standing.refusedBy()).isPresent();
    roster.changed(Membership.of(List.of(node(1))));
    assertThat(standing.refusedBy()).isEmpty();
  }

  @Test
  void whoAcceptsTheNodeOrSaysSomethingElseDoesNotCount() {
    Standing standing = of(3);
    standing.heard(node(2), DISOWNED);
    standing.heard(node(2), null);
    standing.heard(node(3), DISOWNED);
    standing.heard(node(3), "unknown member n1: n3 knows []");
    standing.heard(node(2), "wrong cluster: …");
    standing.heard(node(7), DISOWNED);
    assertThat(ends).isEmpty();
    assertThat(standing.refusedBy())
        .hasValueSatisfying(text -> assertThat(text).contains("[n2, n3]"));
    standing.heard(node(2), null);
    standing.heard(node(3), null);
    assertThat(standing.refusedBy()).isEmpty();
  }
}
