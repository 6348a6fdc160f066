package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KeptLease;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.api.Watch;
import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.FencingGuard;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.simulator.junit.InProcessCluster;
import io.kvorum.simulator.junit.KvCluster;
import io.kvorum.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The examples of services on a real cluster, some while its leader is stopped. */
class ServicesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  @KvCluster(nodes = 3)
  void littleServicesFindEachOtherThoughTheLeaderStops(InProcessCluster cluster) {
    KvClient kv = cluster.client();
    List<String> all = List.of("users", "orders", "mail");
    LittleService orders = new LittleService(kv, "orders", "o:1", all);
    try (LittleService users = new LittleService(kv, "users", "u:1", all);
        LittleService mail = new LittleService(kv, "mail", "m:1", all)) {
      List<LittleService> services = List.of(users, orders, mail);
      services.forEach(service -> service.ready().join());
      for (String name : all) {
        Await.until(
            name + " to be found by all",
            LIMIT,
            () -> services.stream().allMatch(one -> one.addressOf(name).isPresent()));
      }
      assertThat(orders.addressOf("users")).contains("u:1");

      cluster.stop(cluster.awaitLeader());
      assertThat(mail.addressOf("orders")).contains("o:1");
      orders.close();
      try (LittleService moved = new LittleService(kv, "orders", "o:2", all)) {
        Await.until(
            "the other address",
            LIMIT,
            () ->
                users.addressOf("orders").equals(mail.addressOf("orders"))
                    && users.addressOf("orders").filter("o:2"::equals).isPresent());
        assertThat(moved.addressOf("mail")).isNotNull();
      }
    }
  }

  @Test
  @KvCluster(nodes = 1)
  void settingsAreReadFromMemoryAndOwnChangesAtOnce(KvClient kv) {
    kv.blocking().put(Bytes.utf8("config/color"), Bytes.utf8("red"));
    Queue<String> heard = new ConcurrentLinkedQueue<>();
    try (ConfigWatcher settings =
        new ConfigWatcher(kv, (name, value) -> heard.add(name + "=" + value))) {
      assertThat(settings.get("color", "none")).isEqualTo("red");
      settings.set("color", "blue");
      assertThat(settings.get("color", "none")).isEqualTo("blue");
      kv.blocking()
          .txn(
              Txn.of(
                  Op.delete(Bytes.utf8("config/color")),
                  Op.put(Bytes.utf8("config/size"), Bytes.utf8("3"))));
      Await.until("the change", LIMIT, () -> settings.all().equals(Map.of("size", "3")));
      assertThat(settings.get("color", "none")).isEqualTo("none");
      Await.until("the news", LIMIT, () -> heard.size() == 3);
      assertThat(heard).containsExactly("color=blue", "color=", "size=3");
    }
  }

  @Test
  @KvCluster(nodes = 1)
  void namesAreReadFromMemoryAndWhatOthersChangeIsHeardOf(KvClient kv) {
    try (UserNames users = new UserNames(kv)) {
      assertThat(users.name("7")).isEmpty();
      users.rename("7", "Ann");
      assertThat(users.name("7")).contains("Ann");
      kv.blocking().put(Bytes.utf8("users/7"), Bytes.utf8("Bob"));
      assertThat(users.nameNow("7")).contains("Bob");
      Await.until("the change", LIMIT, () -> users.name("7").filter("Bob"::equals).isPresent());
    }
  }

  @Test
  @KvCluster(nodes = 1)
  void whereaboutsBeginWithWhatIsThereAndFollowIt(KvClient kv) {
    kv.blocking().put(Bytes.utf8("where/ann"), Bytes.utf8("home"));
    kv.blocking().put(Bytes.utf8("where/bob"), Bytes.utf8("work"));
    try (Whereabouts where = new Whereabouts(kv)) {
      Await.until("the snapshot", LIMIT, () -> where.all().size() == 2);
      kv.blocking().put(Bytes.utf8("where/ann"), Bytes.utf8("sea"));
      kv.blocking().delete(Bytes.utf8("where/bob"));
      Await.until("the changes", LIMIT, () -> where.all().equals(Map.of("ann", "sea")));
    }
  }

  @Test
  @KvCluster(nodes = 1)
  void aCarefulClientPutsCopiesAndReads(KvClient kv) {
    Bytes key = Bytes.utf8("careful");
    assertThat(CarefulClient.put(kv, key, Bytes.utf8("yes"))).isTrue();
    assertThat(CarefulClient.copy(kv, key, Bytes.utf8("copy")).join()).isEqualTo(3);
    Await.until(
        "a read that is fresh enough",
        LIMIT,
        () -> CarefulClient.nearly(kv, Bytes.utf8("copy")).equals(kv.blocking().get(key).value()));
  }

  @Test
  @KvCluster(nodes = 1)
  void theLedgerRefusesWhoHasLostTheLock(KvClient kv) {
    FencedLedger ledger = new FencedLedger();
    FencedLedger.writeAlone(kv, ledger, "before");
    long oldToken;
    try (Owner paused = Blocking.await(Owner.open(kv, Duration.ofSeconds(10)));
        Held held = Blocking.await(DistributedLock.of(paused, "locks/ledger").acquire())) {
      oldToken = held.fencingToken();
      // Somebody has taken it for dead.
      kv.blocking().leases().revoke(paused.id());
      FencedLedger.writeAlone(kv, ledger, "meanwhile");
    }
    assertThatThrownBy(() -> ledger.write(oldToken, "too late"))
        .isInstanceOf(FencingGuard.StaleTokenException.class);
    assertThat(ledger.lines()).containsExactly("before", "meanwhile");
  }

  @Test
  @KvCluster(nodes = 1)
  void oneDoesTheJobAndAnotherOneGoesOn(KvClient kv) {
    Queue<String> turns = new ConcurrentLinkedQueue<>();
    Duration every = Duration.ofMillis(20);
    LeaderJob first = new LeaderJob(kv, "first", every, term -> turns.add("first " + term));
    Await.until("the first turn", LIMIT, () -> turns.size() > 2);
    try (LeaderJob second =
        new LeaderJob(kv, "second", every, term -> turns.add("second " + term))) {
      assertThat(turns).noneMatch(turn -> turn.startsWith("second"));
      first.close();
      Await.until(
          "the second to go on",
          LIMIT,
          () -> turns.stream().anyMatch(turn -> turn.startsWith("second")));
      assertThat(turns).extracting(turn -> turn.split(" ", -1)[0]).isSorted();
      assertThat(second).isNotNull();
    }
  }

  @Test
  @KvCluster(nodes = 1)
  void aTaskIsTakenOnce(BlockingKvClient kv) {
    Bytes task = Bytes.utf8("tasks/1");
    kv.put(task, Bytes.utf8("open"));
    assertThat(TakeTask.take(kv, task, Bytes.utf8("me"))).isTrue();
    assertThat(TakeTask.take(kv, task, Bytes.utf8("you"))).isFalse();
    assertThat(kv.get(task).value()).contains(Bytes.utf8("me"));
    assertThat(kv.get(Bytes.utf8("tasks/taken")).value().orElseThrow().at(7)).isEqualTo((byte) 1);
  }

  @Test
  @KvCluster(nodes = 1)
  void whoIsOnDutyIsSeenToComeAndGoAndPaysOnce(KvClient kv) {
    Queue<String> heard = new ConcurrentLinkedQueue<>();
    try (Watch watch = OnDuty.follow(kv, heard::add)) {
      assertThat(watch.started().join()).isPositive();
      Queue<String> lost = new ConcurrentLinkedQueue<>();
      try (KeptLease lease = OnDuty.begin(kv, "ann", (id, why) -> lost.add(why))) {
        Await.until("ann to come", LIMIT, () -> heard.contains("PUT duty/ann"));
        kv.blocking().leases().revoke(lease.id());
        Await.until("ann to go", LIMIT, () -> heard.contains("DELETE duty/ann"));
        Await.until("ann to know", LIMIT, () -> lost.size() == 1);
      }
    }
    OnDuty.pay(kv, "7", Bytes.utf8("12 EUR"));
    OnDuty.pay(kv, "7", Bytes.utf8("12 EUR"));
    assertThat(kv.blocking().get(Bytes.utf8("payments/7")).keyValue().orElseThrow().version())
        .isEqualTo(1);
  }
}
