package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FeatureGateTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final NodeId N4 = new NodeId("n4");
  private static final Features OLD = Features.of(Feature.SNAPSHOTS);

  private final Map<NodeId, Features> announced = new TreeMap<>();
  private Membership members = Membership.of(Set.of(N1, N2, N3));
  private Features applied = Features.NONE;
  private long term = 1;
  private final FeatureGate gate =
      new FeatureGate(() -> members, () -> term, new Announcing(), () -> applied);

  @BeforeEach
  void allHaveAll() {
    List.of(N1, N2, N3, N4).forEach(member -> announced.put(member, Features.ALL));
  }

  private boolean isOpen() {
    return gate.isOpen(Feature.STATE_CHECKS);
  }

  @Test
  void isOpenWhenAllHaveSaidSo() {
    assertThat(isOpen()).isTrue();
    assertThat(gate.lack(Feature.STATE_CHECKS)).isNull();
  }

  @Test
  void whoLacksItIsNamed() {
    announced.put(N3, OLD);
    Refusal.Lacking lack = gate.lack(Feature.STATE_CHECKS);
    assertThat(lack).isEqualTo(new Refusal.Lacking(Feature.STATE_CHECKS, N3, true));
    assertThat(lack == null ? "" : lack.why())
        .isEqualTo("the version of n3 does not know state-checks: update it");
    assertThat(gate.isOpen(Feature.SNAPSHOTS)).isTrue();
  }

  @Test
  void whoIsNotReachedHasNothing() {
    announced.remove(N2);
    Refusal.Lacking lack = gate.lack(Feature.STATE_CHECKS);
    assertThat(lack).isEqualTo(new Refusal.Lacking(Feature.STATE_CHECKS, N2, false));
    assertThat(lack == null ? "" : lack.why()).contains("n2 is not reached");
  }

  /** The leader itself may be the one. */
  @Test
  void theNodeItselfCounts() {
    announced.put(N1, OLD);
    assertThat(isOpen()).isFalse();
  }

  @Test
  void learnersCount() {
    members = new Membership(new TreeSet<>(Set.of(N1, N2)), new TreeSet<>(Set.of(N4)));
    announced.put(N4, OLD);
    announced.put(N3, OLD);
    assertThat(gate.lack(Feature.STATE_CHECKS))
        .isEqualTo(new Refusal.Lacking(Feature.STATE_CHECKS, N4, true));
  }

  @Test
  void bothHalvesOfAJointMembershipCount() {
    members =
        new Membership(
            new TreeSet<>(Set.of(N1, N2)),
            new TreeSet<>(Set.of(N1, N3)),
            new TreeSet<>(),
            new TreeMap<>());
    assertThat(isOpen()).isTrue();
    announced.put(N3, OLD);
    assertThat(isOpen()).isFalse();
    announced.put(N3, Features.ALL);
    announced.put(N2, OLD);
    assertThat(isOpen()).isFalse();
  }

  /** Whoever lacks it stops at what is there already. */
  @Test
  void whatWasUsedWaitsForNobody() {
    announced.remove(N2);
    announced.put(N3, OLD);
    applied = Features.of(Feature.STATE_CHECKS);
    assertThat(isOpen()).isTrue();
  }

  /** An entry that was lost with the leadership is used by nobody. */
  @Test
  void whatWasProposedCountsInThatTermOnly() {
    gate.proposed(Feature.STATE_CHECKS);
    announced.put(N3, OLD);
    assertThat(isOpen()).isTrue();
    assertThat(gate.refuse(Set.of(N3))).contains("n3").contains("state-checks");
    term = 3;
    assertThat(isOpen()).isFalse();
    assertThat(gate.refuse(Set.of(N3))).isNull();
    gate.proposed(Feature.SNAPSHOTS);
    assertThat(gate.used()).isEqualTo(OLD);
  }

  @Test
  void newcomersThatLackWhatIsUsedAreRefusedOnceTheyAreKnown() {
    announced.put(N4, OLD);
    assertThat(gate.refuse(Set.of(N4))).isNull();
    applied = Features.of(Feature.STATE_CHECKS);
    assertThat(gate.refuse(Set.of(N4)))
        .isEqualTo(
            "the version of n4 lacks what the group uses: state-checks (it has: snapshots)."
                + " It would stop at the entries that use it: update n4");
    announced.remove(N4);
    assertThat(gate.refuse(Set.of(N4))).isNull();
  }

  @Test
  void ofAnUnknownFeatureTheNumberIsTold() {
    Features newer = new Features(1 << 20).with(Feature.SNAPSHOTS);
    assertThat(newer).hasToString("snapshots, feature 20");
    assertThat(Features.NONE).hasToString("none");
    assertThat(newer.refusal(N1, Features.ALL)).contains("feature 20").contains("n1");
  }

  /** Bits that others were told of. */
  @Test
  void bitsNeverChange() {
    assertThat(Feature.SNAPSHOTS.mask()).isEqualTo(1);
    assertThat(Feature.STATE_CHECKS.mask()).isEqualTo(2);
  }

  private final class Announcing implements Transport {
    @Override
    public @Nullable Features features(NodeId member) {
      return announced.get(member);
    }

    @Override
    public void members(Membership membership) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void start(Receiver receiver) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void send(Envelope envelope) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void send(NodeId to, SnapshotFrame frame) {
      throw new AssertionError("not asked for");
    }

    @Override
    public void flush() {
      throw new AssertionError("not asked for");
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
