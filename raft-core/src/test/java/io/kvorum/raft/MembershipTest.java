package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.testkit.Golden;
import io.kvorum.testkit.Hex;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What makes a membership, and its bytes. */
class MembershipTest {
  private static NavigableSet<NodeId> set(String... names) {
    return new TreeSet<>(TestCluster.ids(names));
  }

  private static Membership sample() {
    return new Membership(
        set("n2", "n4"),
        set("n1", "n2", "n3"),
        set("n3", "n5"),
        new TreeMap<>(Map.of(new NodeId("n2"), "host-2:7001", new NodeId("n5"), "zurich:7400")));
  }

  /** The bytes stand in logs: another encoding needs another version. */
  @Test
  void bytesAreTheRecordedOnes() {
    Golden golden = Golden.of(MembershipTest.class);
    golden.check("format/membership.hex", Hex.dump(sample().encode()));
    golden.check("format/membership-empty.hex", Hex.dump(Membership.EMPTY.encode()));
  }

  @Test
  void whatIsDecodedIsWhatWasEncoded() {
    assertThat(Membership.decode(sample().encode())).isEqualTo(sample());
    assertThat(Membership.decode(Membership.EMPTY.encode())).isEqualTo(Membership.EMPTY);
    TreeSet<NodeId> many = new TreeSet<>();
    TreeMap<NodeId, String> addresses = new TreeMap<>();
    for (int i = 0; i < Membership.MEMBERS_MAX; i++) {
      NodeId node = new NodeId("n" + i);
      many.add(node);
      addresses.put(node, "x".repeat(i));
    }
    Membership largest = new Membership(many, new TreeSet<>(), new TreeSet<>(), addresses);
    assertThat(Membership.decode(largest.encode())).isEqualTo(largest);
  }

  /** Every membership has one encoding, so whatever can be read gives the same bytes again. */
  @Test
  void damagedBytesAreRefusedOrMeanAnotherMembership() {
    byte[] whole = sample().encode();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, random.nextInt(whole.length + 3));
      for (int flips = random.nextInt(3); flips >= 0 && bytes.length > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        assertThat(Membership.decode(bytes).encode()).isEqualTo(bytes);
      } catch (InvariantViolation refused) {
        assertThat(refused).hasMessageMatching("a membership of .* cannot be read: .+");
      }
    }
  }

  @Test
  void whatIsNoMembershipIsRefusedByName() {
    refused("it ends before the version");
    refused("version 2, this node knows 1", 2, 0);
    refused("1 bytes behind the last member", 1, 0, 0);
    refused("a group without voters", 1, 1, 4, 1, 'a');
    refused("both voter and learner", 1, 1, 5, 1, 'a');
    refused("flags 0 of a", 1, 1, 0, 1, 'a');
    refused("flags 17 of a", 1, 1, 17, 1, 'a');
    refused("a is not in order of name", 1, 2, 1, 1, 'b', 1, 1, 'a');
    refused("a is not in order of name", 1, 2, 1, 1, 'a', 4, 1, 'a');
    refused("a text of 9 bytes, 1 are left", 1, 1, 1, 9, 'a');
    refused("a name that is none", 1, 1, 1, 1, '!');
    refused("not printable ASCII", 1, 1, 9, 1, 'a', 1, 0xff);
  }

  private static void refused(String why, int... bytes) {
    byte[] payload = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      payload[i] = (byte) bytes[i];
    }
    assertThatThrownBy(() -> Membership.decode(payload))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining(why);
  }

  @Test
  void addressesAreBoundedAndOfMembers() {
    assertThatThrownBy(() -> addressed("n1", "x".repeat(256)))
        .hasMessageContaining("256 characters");
    assertThatThrownBy(() -> addressed("n9", "x")).hasMessageContaining("no member");
    assertThatThrownBy(() -> addressed("n1", "é")).hasMessageContaining("not printable ASCII");
    assertThatThrownBy(() -> addressed("n1", "a b")).hasMessageContaining("without blanks");
    assertThat(addressed("n1", "x".repeat(255)).addresses()).hasSize(1);
  }

  private static Membership addressed(String node, String address) {
    return new Membership(
        set("n1"),
        new TreeSet<>(),
        new TreeSet<>(),
        new TreeMap<>(Map.of(new NodeId(node), address)));
  }

  @Test
  void whatFollowsAJointMembershipForgetsTheOldVoters() {
    Membership left = sample().left();
    assertThat(left.isJoint()).isFalse();
    assertThat(left.members()).isEqualTo(set("n2", "n3", "n4", "n5"));
    assertThat(left.isVoter(new NodeId("n3"))).isFalse();
    assertThat(left.addresses()).isEqualTo(sample().addresses());
  }

  @Test
  void aJointMembershipDecidesInBothOfItsConfigurations() {
    Membership joint =
        new Membership(set("n1", "n2", "n3"), set("n3", "n4"), new TreeSet<>(), new TreeMap<>());
    assertThat(joint.isMajority(set("n1", "n2", "n3"))).isFalse();
    assertThat(joint.isMajority(set("n3", "n4"))).isFalse();
    assertThat(joint.isMajority(set("n1", "n3", "n4"))).isTrue();
    assertThat(joint.left().isMajority(set("n1", "n2", "n9"))).isTrue();
    assertThat(joint.left().isMajority(set("n1", "n9"))).isFalse();
    assertThat(Membership.EMPTY.isMajority(set())).isFalse();
  }
}
