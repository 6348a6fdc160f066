package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.client.recipes.Candidacy;
import io.kvorum.client.recipes.FencingGuard;
import io.kvorum.client.recipes.LeaderElection;
import io.kvorum.client.recipes.LeaderElection.Leader;
import io.kvorum.client.recipes.LeaderView;
import io.kvorum.client.recipes.Leadership;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.OwnershipLostException;
import io.kvorum.client.recipes.TermListener;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Elections in simulated clusters. */
@ExtendWith(QuietNodes.class)
class LeaderElectionTest {
  private static final String NAME = "election/e";
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Bytes ANN = Bytes.utf8("ann");
  private static final Bytes BOB = Bytes.utf8("bob");

  private static LeaderElection election(SimCluster cluster, String name) {
    return LeaderElection.of(cluster.recipePorts(name), NAME);
  }

  private static Owner owner(SimCluster cluster, String name) {
    return Owner.open(cluster.recipePorts(name), TTL).join();
  }

  /** Somebody who stands again and again, and writes as long as it believes to lead. */
  private static final class Scheduler implements TermListener {
    private final SimCluster cluster;
    private final List<Scheduler> all;
    private final List<Leadership> terms = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private long lostTerm;

    Scheduler(SimCluster cluster, List<Scheduler> all) {
      this.cluster = cluster;
      this.all = all;
    }

    boolean leads() {
      return !terms.isEmpty() && terms.get(terms.size() - 1).isLeading();
    }

    @Override
    public void elected(Leadership leadership) {
      if (leadership.term() <= lostTerm) {
        wrong.add("term " + leadership.term() + " comes after " + lostTerm);
      }
      if (leadership.isLeading() && all.stream().anyMatch(Scheduler::leads)) {
        wrong.add("term " + leadership.term() + " begins while another one lasts");
      }
      terms.add(leadership);
      cluster.after(Duration.ofSeconds(2), leadership::close);
    }

    @Override
    public void lost(long term, String why) {
      if (term != terms.get(terms.size() - 1).term() || term <= lostTerm) {
        wrong.add("term " + term + " is lost out of turn");
      }
      lostTerm = term;
    }
  }

  /** Terms come one after the other, each is lost once, and observers see the last one. */
  @KvSim(seeds = 6)
  void oneLeaderAtATimeWhateverHappens(SimCluster cluster) {
    List<String> names = List.of("ann", "bob", "cat");
    List<Scheduler> schedulers = new ArrayList<>();
    List<Candidacy> candidacies = new ArrayList<>();
    for (String name : names) {
      Scheduler scheduler = new Scheduler(cluster, schedulers);
      schedulers.add(scheduler);
      candidacies.add(election(cluster, name).stand(TTL, Bytes.utf8(name), scheduler));
    }
    List<Optional<Leader>> seen = new ArrayList<>();
    LeaderView view = election(cluster, "judge").observe(seen::add);
    cluster
        .faults()
        .storm(
            Duration.ofSeconds(15),
            Storm.KILL,
            Storm.PARTITION,
            Storm.CLIENT_NETWORK,
            Storm.LEADER_CHANGE);
    SplittableRandom random = new SplittableRandom(cluster.seed());
    for (int i = 0; i < 3; i++) {
      String paused = names.get(random.nextInt(names.size()));
      Duration pause = Duration.ofMillis(random.nextInt(6_000));
      cluster.after(
          Duration.ofMillis(random.nextInt(15_000)), () -> cluster.faults().pause(paused, pause));
    }
    cluster.run(Duration.ofSeconds(25));
    long terms = schedulers.stream().mapToLong(scheduler -> scheduler.terms.size()).sum();
    assertThat(terms).isGreaterThan(2);
    cluster.runUntil(() -> schedulers.stream().anyMatch(Scheduler::leads), Duration.ofSeconds(30));
    Scheduler last = schedulers.stream().filter(Scheduler::leads).findFirst().orElseThrow();
    long term = last.terms.get(last.terms.size() - 1).term();
    cluster.runUntil(
        () -> view.leader().map(Leader::term).orElse(0L) >= term, Duration.ofSeconds(30));
    assertThat(seen.stream().flatMap(Optional::stream).mapToLong(Leader::term).boxed().toList())
        .isSorted();
    candidacies.forEach(Candidacy::close);
    cluster.run(Duration.ofSeconds(8));
    assertThat(view.leader()).isEmpty();
    for (Scheduler scheduler : schedulers) {
      assertThat(scheduler.wrong).isEmpty();
      assertThat(scheduler.leads()).isFalse();
      if (!scheduler.terms.isEmpty()) {
        assertThat(scheduler.lostTerm)
            .isEqualTo(scheduler.terms.get(scheduler.terms.size() - 1).term());
      }
    }
  }

  @KvSim(seeds = 3)
  void aLeaderThatIsCutOffLosesItsTermBeforeTheNextOneIsElected(SimCluster cluster) {
    Leadership ann = election(cluster, "ann").campaign(owner(cluster, "ann"), ANN).join();
    List<Duration> lost = new ArrayList<>();
    ann.onLost(why -> lost.add(cluster.now()));
    CompletableFuture<Leadership> next =
        election(cluster, "bob").campaign(owner(cluster, "bob"), BOB);
    cluster.faults().partition(List.of("ann"), cluster.nodes());
    Leadership bob = next.join();
    assertThat(lost).hasSize(1);
    assertThat(ann.isLeading()).isFalse();
    assertThat(bob.term()).isGreaterThan(ann.term());
    FencingGuard guard = new FencingGuard();
    guard.check(bob.term());
    assertThatThrownBy(() -> guard.check(ann.term()))
        .isInstanceOf(FencingGuard.StaleTokenException.class);
    cluster.faults().heal();
    cluster.run(Duration.ofSeconds(5));
    assertThat(lost).hasSize(1);
    assertThatThrownBy(() -> ann.proclaim(ANN).join())
        .hasCauseInstanceOf(OwnershipLostException.class);
  }

  @Test
  void aLeaderProclaimsAndResigns() {
    try (SimCluster cluster = SimCluster.start(4, 3)) {
      Owner annOwner = owner(cluster, "ann");
      LeaderElection election = election(cluster, "ann");
      Leadership ann = election.campaign(annOwner, ANN).join();
      assertThatThrownBy(() -> election.campaign(annOwner, ANN).join())
          .hasCauseInstanceOf(IllegalStateException.class);
      assertThat(election.leader().join()).contains(new Leader(ann.term(), ANN, annOwner.id()));
      List<Optional<Leader>> seen = new ArrayList<>();
      LeaderView view = election(cluster, "judge").observe(seen::add);
      view.started().join();
      ann.proclaim(BOB).join();
      CompletableFuture<Leadership> next =
          election(cluster, "bob").campaign(owner(cluster, "bob"), BOB);
      cluster.run(Duration.ofSeconds(1));
      assertThat(next).isNotDone();
      KvClient kv = cluster.client("ann");
      Txn write = Txn.of(Op.put(ANN, ANN));
      assertThat(kv.txn(ann.guarded(write)).join().succeeded()).isTrue();
      ann.resign().join();
      Leadership bob = next.join();
      assertThat(kv.txn(ann.guarded(write)).join().succeeded()).isFalse();
      assertThat(kv.txn(bob.guarded(write)).join().succeeded()).isTrue();
      cluster.run(Duration.ofSeconds(1));
      assertThat(seen).last().isEqualTo(election.leader().join());
      assertThat(seen).contains(Optional.of(new Leader(ann.term(), BOB, annOwner.id())));
      view.close();
    }
  }
}
