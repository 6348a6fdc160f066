package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.FencingGuard;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.OwnershipLostException;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The lock in simulated clusters: what it promises, and what faults make of it. */
@ExtendWith(QuietNodes.class)
class DistributedLockTest {
  private static final String NAME = "locks/l";
  private static final Duration TTL = Duration.ofSeconds(5);
  private static final Bytes DATA = Bytes.utf8("data");

  private static Owner owner(SimCluster cluster, String name) {
    return Owner.open(cluster.recipePorts(name), TTL).join();
  }

  private static DistributedLock lock(Owner owner) {
    return DistributedLock.of(owner, NAME);
  }

  private static long keys(SimCluster cluster) {
    KvClient judge = cluster.client("judge");
    return judge.range(KeyRange.prefix(Bytes.utf8(NAME + "/"))).join().count();
  }

  /** Of those that believe to hold it, at most one is right at any time, in the order of asking. */
  @KvSim(seeds = 8)
  void oneAtATimeInOrderWhateverHappens(SimCluster cluster) {
    Contenders contenders = new Contenders(cluster);
    List<Held> granted = new ArrayList<>();
    FencingGuard guard = new FencingGuard();
    for (String name : List.of("ann", "bob", "cat", "dan")) {
      contenders.add(
          name,
          4,
          new Contenders.Aim(
              owner -> lock(owner).acquire(),
              held -> {
                assertThat(granted).noneMatch(Held::isHeld);
                granted.add(held);
                guard.check(held.fencingToken());
              }));
    }
    contenders.run(Storm.KILL, Storm.PARTITION, Storm.CLIENT_NETWORK, Storm.LEADER_CHANGE);
    assertThat(granted).extracting(Held::fencingToken).doesNotHaveDuplicates();
    contenders.endWithoutTraces(NAME);
  }

  /** F129: the lease ends while its owner, paused, waits in the line. */
  @KvSim(seeds = 4)
  void whoWasPausedBeyondItsLeaseGetsNothing(SimCluster cluster) {
    FencingGuard resource = new FencingGuard();
    Held first = lock(owner(cluster, "ann")).acquire().join();
    CompletableFuture<Held> second = lock(owner(cluster, "bob")).acquire();
    cluster.run(Duration.ofSeconds(1));
    cluster.faults().pause("bob", Duration.ofSeconds(12));
    cluster.run(Duration.ofSeconds(10));
    first.release().join();
    Held third = lock(owner(cluster, "cat")).acquire().join();
    resource.check(first.fencingToken());
    resource.check(third.fencingToken());
    assertThatThrownBy(second::join).hasRootCauseInstanceOf(OwnershipLostException.class);
    assertThatThrownBy(() -> resource.check(first.fencingToken()))
        .isInstanceOf(FencingGuard.StaleTokenException.class);
    assertThat(third.isHeld()).isTrue();
  }

  /** F129: the holder is paused, another one gets the lock, and the first one wakes up. */
  @KvSim(seeds = 4)
  void aHolderThatWakesUpTooLateIsRefusedByToken(SimCluster cluster) {
    KvClient kv = cluster.client("judge");
    List<String> lost = new ArrayList<>();
    Held first = lock(owner(cluster, "ann")).acquire().join();
    first.onLost(lost::add);
    cluster.faults().pause("ann", Duration.ofSeconds(30));
    Held second = lock(owner(cluster, "bob")).acquire().join();
    assertThat(first.isHeld()).isFalse();
    assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
    Txn write = Txn.of(Op.put(DATA, DATA));
    assertThat(kv.txn(second.guarded(write)).join().succeeded()).isTrue();
    assertThat(kv.txn(first.guarded(write)).join().succeeded()).isFalse();
    cluster.run(Duration.ofSeconds(30));
    assertThat(lost).hasSize(1);
    first.release().join();
    assertThat(second.isHeld()).isTrue();
    assertThat(keys(cluster)).isEqualTo(1);
  }

  /** F130: given up at any time on the way, and cut off meanwhile. */
  @KvSim(seeds = 40)
  void whoGivesUpLeavesNothingInTheLine(SimCluster cluster) {
    Owner ann = owner(cluster, "ann");
    Owner bob = owner(cluster, "bob");
    long step = cluster.seed() % 20;
    CompletableFuture<Held> given = lock(ann).acquire();
    if (cluster.seed() % 3 != 0) {
      cluster.after(
          Duration.ofNanos(step * 97_000),
          () -> cluster.faults().partition(List.of("ann"), cluster.nodes()));
      cluster.after(Duration.ofSeconds(2), () -> cluster.faults().heal());
    }
    cluster.run(Duration.ofNanos(step * 101_000));
    given.cancel(false);
    assertThatThrownBy(given::join).isInstanceOf(CancellationException.class);
    Held held = lock(bob).acquire().join();
    assertThat(held.isHeld()).isTrue();
    cluster.run(Duration.ofSeconds(8));
    assertThat(keys(cluster)).isEqualTo(1);
    held.release().join();
    assertThat(keys(cluster)).isZero();
    assertThat(lock(ann).acquire().join().isHeld()).isEqualTo(ann.isAlive());
  }

  /** F130: the connection breaks while the lock is released; the next one gets it all the same. */
  @KvSim(seeds = 20)
  void aReleaseThatNobodyAnswersIsTriedAgain(SimCluster cluster) {
    Held held = lock(owner(cluster, "ann")).acquire().join();
    CompletableFuture<Held> next = lock(owner(cluster, "bob")).acquire();
    cluster.run(Duration.ofMillis(100));
    CompletableFuture<Void> released = held.release();
    cluster.after(
        Duration.ofNanos(cluster.seed() * 53_000),
        () -> cluster.faults().partition(List.of("ann"), cluster.nodes()));
    cluster.after(Duration.ofSeconds(1), () -> cluster.faults().heal());
    released.join();
    assertThat(next.join().isHeld()).isTrue();
    assertThat(keys(cluster)).isEqualTo(1);
  }

  /** F129: the key in the line is gone, and its owner cannot know it yet. */
  @KvSim(seeds = 4)
  void whoseKeyIsGoneIsNotGrantedTheLock(SimCluster cluster) {
    Held first = lock(owner(cluster, "ann")).acquire().join();
    Owner bob = owner(cluster, "bob");
    CompletableFuture<Held> second = lock(bob).acquire();
    cluster.run(Duration.ofMillis(200));
    cluster.faults().expireLease(bob.id());
    first.release().join();
    assertThatThrownBy(second::join).hasCauseInstanceOf(OwnershipLostException.class);
    assertThat(lock(owner(cluster, "cat")).acquire().join().isHeld()).isTrue();
  }

  /** F129: the look was in time, what comes of it is not. */
  @Test
  void whoIsPausedBetweenTheLookAndTheGrantGetsNothing() {
    try (SimCluster cluster = SimCluster.start(8, 3)) {
      StrayCalls calls = new StrayCalls(cluster.client("ann"));
      Owner ann = Owner.open(calls.ports(cluster.recipePorts("ann")), TTL).join();
      calls.afterNextLook(() -> cluster.faults().pause("ann", TTL.multipliedBy(3)));
      CompletableFuture<Held> late = lock(ann).acquire();
      cluster.run(TTL.multipliedBy(2));
      Held other = lock(owner(cluster, "bob")).acquire().join();
      assertThatThrownBy(late::join).hasCauseInstanceOf(OwnershipLostException.class);
      assertThat(other.isHeld()).isTrue();
    }
  }

  /** F130: a delete of unknown outcome is executed when the same owner has the lock again. */
  @Test
  void aDeleteThatComesLateTakesNothingAway() {
    try (SimCluster cluster = SimCluster.start(6, 3)) {
      StrayCalls strays = new StrayCalls(cluster.client("ann"));
      Owner ann = Owner.open(strays.ports(cluster.recipePorts("ann")), TTL).join();
      Held first = lock(ann).acquire().join();
      strays.holdNext(Op.DeleteRange.class);
      first.release().join();
      Held second = lock(ann).acquire().join();
      strays.arrive();
      assertThat(keys(cluster)).isEqualTo(1);
      assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
      assertThat(lock(owner(cluster, "bob")).tryAcquire().join()).isEmpty();
    }
  }

  /** F130: a put of unknown outcome is executed when its owner has given up, or has been there. */
  @Test
  void aPutThatComesLateTakesNoPlace() {
    try (SimCluster cluster = SimCluster.start(7, 3)) {
      StrayCalls strays = new StrayCalls(cluster.client("ann"));
      Owner ann = Owner.open(strays.ports(cluster.recipePorts("ann")), TTL).join();
      strays.holdNext(Op.Put.class);
      lock(ann).acquire().join().release().join();
      strays.arrive();
      assertThat(keys(cluster)).isZero();
      strays.holdNext(Op.Put.class);
      CompletableFuture<Held> given = lock(ann).acquire();
      given.cancel(false);
      cluster.run(Duration.ofSeconds(1));
      strays.arrive();
      cluster.run(Duration.ofSeconds(1));
      assertThat(keys(cluster)).isZero();
      assertThat(lock(ann).acquire().join().isHeld()).isTrue();
    }
  }

  @Test
  void anOwnerThatHoldsItHasItAgain() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      Owner ann = owner(cluster, "ann");
      Held outer = lock(ann).acquire().join();
      Held inner = lock(ann).tryAcquire().join().orElseThrow();
      assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
      outer.release().join();
      outer.release().join();
      Owner bob = owner(cluster, "bob");
      assertThat(lock(bob).tryAcquire().join()).isEmpty();
      assertThat(lock(bob).tryAcquire(Duration.ofSeconds(1)).join()).isEmpty();
      assertThat(keys(cluster)).isEqualTo(1);
      CompletableFuture<Optional<Held>> patient = lock(bob).tryAcquire(Duration.ofSeconds(2));
      cluster.run(Duration.ofSeconds(1));
      assertThat(lock(bob).tryAcquire().join()).isEmpty();
      assertThat(patient).isNotDone();
      inner.release().join();
      assertThat(patient.join()).isPresent();
      assertThat(outer.isHeld()).isFalse();
    }
  }

  /** As etcd's concurrency package lays its locks out. */
  @Test
  void theKeyIsTheLeaseInHexBelowTheName() {
    try (SimCluster cluster = SimCluster.start(2, 1)) {
      Owner ann = owner(cluster, "ann");
      Held held = lock(ann).acquire().join();
      assertThat(held.key()).isEqualTo(Bytes.utf8(NAME + "/" + Long.toHexString(ann.id())));
      assertThat(cluster.client().get(held.key()).join().keyValue().orElseThrow())
          .satisfies(found -> assertThat(found.createRevision()).isEqualTo(held.fencingToken()))
          .satisfies(found -> assertThat(found.lease()).isEqualTo(ann.id()));
    }
  }

  @Test
  void whatIsHeldAndWaitedForEndsWithTheOwner() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      Owner ann = owner(cluster, "ann");
      Owner bob = owner(cluster, "bob");
      List<String> lost = new ArrayList<>();
      Held held = lock(ann).acquire().join();
      held.onLost(lost::add);
      CompletableFuture<Held> waiting = lock(bob).acquire();
      cluster.run(Duration.ofSeconds(1));
      bob.end().join();
      assertThatThrownBy(waiting::join).hasCauseInstanceOf(OwnershipLostException.class);
      cluster.faults().expireLease(ann.id());
      assertThat(ann.lost().join()).contains("lease");
      assertThat(held.isHeld()).isFalse();
      cluster.run(Duration.ofSeconds(1));
      assertThat(lost).hasSize(1);
      assertThat(keys(cluster)).isZero();
      assertThatThrownBy(() -> lock(ann).acquire().join())
          .hasRootCauseInstanceOf(OwnershipLostException.class);
    }
  }
}
