package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.QueueConsumer;
import io.kvorum.client.recipes.QueueItem;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.client.recipes.WorkQueue;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The queue in simulated clusters: nothing is lost, and nothing is done twice. */
@ExtendWith(QuietNodes.class)
class WorkQueueTest {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final int ITEMS = 30;

  private static Bytes text(String text) {
    return Bytes.utf8(text);
  }

  private static WorkQueue queue(SimCluster cluster, String name) {
    return WorkQueue.of(cluster.recipePorts(name), "q");
  }

  private static QueueConsumer consumer(SimCluster cluster, String name) {
    Owner owner = Owner.open(cluster.recipePorts(name), TTL).join();
    return QueueConsumer.of(queue(cluster, name), owner);
  }

  /**
   * A process that works off items, each with an effect; it goes on under a new lease when lost.
   */
  private static final class Worker {
    private final SimCluster cluster;
    private final RecipePorts ports;
    private final String name;
    private final SplittableRandom random;
    private Owner owner;

    Worker(SimCluster cluster, String name) {
      this.cluster = cluster;
      this.ports = cluster.recipePorts(name);
      this.name = name;
      this.random = new SplittableRandom(cluster.seed() * 31 + name.hashCode());
    }

    void begin() {
      var unused =
          Owner.open(ports, TTL)
              .whenComplete(
                  (opened, failure) -> {
                    if (opened == null) {
                      ports.timers().after(Duration.ofMillis(200), this::begin);
                    } else {
                      owner = opened;
                      next(QueueConsumer.of(queue(cluster, name), owner));
                    }
                  });
    }

    private void next(QueueConsumer consumer) {
      if (!owner.isAlive()) {
        owner.close();
        begin();
        return;
      }
      CompletableFuture<QueueItem> take = consumer.take();
      if (random.nextInt(4) == 0) {
        ports.timers().after(Duration.ofMillis(random.nextInt(2_000)), () -> take.cancel(false));
      }
      var unused =
          take.whenComplete(
              (item, failure) ->
                  ports
                      .timers()
                      .after(
                          Duration.ofMillis(random.nextInt(200)),
                          () -> {
                            if (item == null) {
                              next(consumer);
                            } else {
                              work(consumer, item);
                            }
                          }));
    }

    /** The effect: one more key, that must not be put twice, together with the end of the item. */
    private void work(QueueConsumer consumer, QueueItem item) {
      if (random.nextInt(5) == 0) {
        var unused = item.giveBack().whenComplete((ended, failure) -> next(consumer));
        return;
      }
      Bytes effect = text("done/" + item.value().toUtf8());
      Txn txn = item.ackInto(Txn.of(Op.append(effect, text("x"))));
      var unused = ports.client().txn(txn).whenComplete((result, failure) -> next(consumer));
    }
  }

  /** Items that were certainly offered are done once, those of unknown outcome at most once. */
  @KvSim(seeds = 6)
  void nothingIsLostAndNothingDoneTwice(SimCluster cluster) {
    List<String> names = List.of("w1", "w2", "w3");
    names.forEach(name -> new Worker(cluster, name).begin());
    TreeSet<String> certain = new TreeSet<>();
    TreeSet<String> possible = new TreeSet<>();
    for (String producer : List.of("p1", "p2")) {
      WorkQueue queue = queue(cluster, producer);
      for (int i = 0; i < ITEMS / 2; i++) {
        String item = producer + "-" + i;
        cluster.after(Duration.ofMillis(400L * i), () -> offer(queue, item, certain, possible));
      }
    }
    cluster
        .faults()
        .storm(Duration.ofSeconds(10), Storm.KILL, Storm.CLIENT_NETWORK, Storm.LEADER_CHANGE);
    cluster.after(Duration.ofSeconds(4), () -> cluster.faults().pause("w2", TTL.plus(TTL)));
    KvClient judge = cluster.client("judge");
    cluster.run(Duration.ofSeconds(20));
    KeyRange done = KeyRange.prefix(text("done/"));
    TreeSet<String> found = new TreeSet<>();
    for (int i = 0; i < 60 && !found.containsAll(certain); i++) {
      cluster.run(Duration.ofSeconds(1));
      judge
          .range(done)
          .join()
          .keyValues()
          .forEach(each -> found.add(each.key().toUtf8().substring("done/".length())));
    }
    assertThat(found).containsAll(certain);
    possible.addAll(certain);
    assertThat(possible).containsAll(found);
    assertThat(judge.range(done).join().keyValues())
        .allSatisfy(each -> assertThat(each.value()).isEqualTo(text("x")));
    assertThat(certain).hasSizeGreaterThan(ITEMS / 2);
  }

  private static void offer(
      WorkQueue queue, String item, Set<String> certain, Set<String> possible) {
    var unused =
        queue
            .offer(text(item))
            .whenComplete(
                (number, failure) -> {
                  if (failure == null) {
                    certain.add(item);
                  } else if (failure instanceof KvException.OutcomeUnknown) {
                    possible.add(item);
                  }
                });
  }

  @Test
  void itemsComeOutInTheOrderOfTheirNumbers() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      WorkQueue one = queue(cluster, "p1");
      WorkQueue two = queue(cluster, "p2");
      List<CompletableFuture<Long>> offers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        offers.add((i % 2 == 0 ? one : two).offer(text("v" + i)));
      }
      List<Long> numbers = offers.stream().map(cluster::await).toList();
      assertThat(new TreeSet<>(numbers)).hasSize(100).last().isEqualTo(99L);
      QueueConsumer consumer = consumer(cluster, "c");
      for (long i = 0; i < 100; i++) {
        QueueItem item = consumer.take().join();
        assertThat(item.number()).isEqualTo(i);
        assertThat(item.value()).isEqualTo(text("v" + numbers.indexOf(i)));
        assertThat(item.ack().join()).isTrue();
      }
      assertThat(consumer.poll().join()).isEmpty();
      assertThat(cluster.client().range(KeyRange.prefix(text("q/"))).join().count()).isEqualTo(1);
    }
  }

  @Test
  void whatIsGivenBackOrLostComesAgain() {
    try (SimCluster cluster = SimCluster.start(2, 3)) {
      WorkQueue queue = queue(cluster, "p");
      QueueConsumer ann = consumer(cluster, "ann");
      QueueConsumer bob = consumer(cluster, "bob");
      CompletableFuture<QueueItem> waiting = bob.take();
      cluster.run(Duration.ofSeconds(1));
      queue.offer(text("one")).join();
      QueueItem first = waiting.join();
      assertThat(ann.poll().join()).isEmpty();
      CompletableFuture<QueueItem> second = ann.take();
      cluster.run(Duration.ofSeconds(1));
      assertThat(first.giveBack().join()).isTrue();
      QueueItem again = second.join();
      assertThat(again.fencingToken()).isGreaterThan(first.fencingToken());
      cluster.faults().partition(List.of("ann"), cluster.nodes());
      QueueItem third = bob.take().join();
      assertThat(third.value()).isEqualTo(text("one"));
      assertThat(again.isTaken()).isFalse();
      cluster.faults().heal();
      assertThat(third.ack().join()).isTrue();
      Txn late = again.ackInto(Txn.of(Op.put(text("late"), text("x"))));
      assertThat(cluster.client("ann").txn(late).join().succeeded()).isFalse();
    }
  }

  @Test
  void ofSeveralThatTakeAnItemInATransactionOneSucceeds() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      WorkQueue queue = queue(cluster, "p");
      assertThat(queue.peek().join()).isEmpty();
      queue.offer(text("one")).join();
      queue.offer(text("two")).join();
      Txn effect =
          Txn.when(Compare.version(text("e")).isEqualTo(0)).then(Op.put(text("e"), text("x")));
      WorkQueue.Item item = queue.peek().join().orElseThrow();
      assertThat(item.value()).isEqualTo(text("one"));
      KvClient client = cluster.client("p");
      assertThat(client.txn(item.takeInto(effect)).join().succeeded()).isTrue();
      assertThat(client.txn(item.takeInto(Txn.when())).join().succeeded()).isFalse();
      QueueItem taken = consumer(cluster, "ann").take().join();
      assertThat(taken.value()).isEqualTo(text("two"));
      assertThat(queue.peek().join()).isEmpty();
    }
  }
}
