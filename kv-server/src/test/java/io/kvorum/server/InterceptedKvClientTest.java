package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.CallInterceptor;
import io.kvorum.api.InterceptedKvClient;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchOptions;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an interceptor hears. */
class InterceptedKvClientTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes VALUE = Bytes.utf8("value");

  private static final SnapshotListener NOBODY =
      new SnapshotListener() {
        @Override
        public void snapshot(long revision, List<KeyValue> keyValues) {}

        @Override
        public void events(WatchEvents events) {}
      };

  @TempDir Path directory;

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final AtomicLong clock = new AtomicLong();

  private CallInterceptor.Ending hear(CallInterceptor.Call call) {
    heard.add(call.name() + " begins");
    return outcome -> {
      assertThat(outcome.duration()).isEqualTo(Duration.ofNanos(1));
      heard.add(call.name() + " of " + call.bytes() + " bytes: " + outcome.conclusion());
    };
  }

  @Test
  void everyCallIsToldOnceWhenItBeginsAndOnceWhenItHasEnded() {
    KvNode node = KvNode.start(ServerConfig.embedded(directory).build());
    try (KvClient client = new InterceptedKvClient(node, this::hear, clock::getAndIncrement)) {
      BlockingKvClient kv = client.blocking();
      kv.put(KEY, VALUE);
      assertThat(heard).containsExactly("put begins", "put of 8 bytes: done");
      heard.clear();
      kv.get(KEY);
      kv.create(KEY, VALUE);
      kv.txn(Txn.of(Op.txn(Txn.of(Op.append(KEY, VALUE))), Op.add(Bytes.utf8("n"), 1)));
      kv.range(KeyRange.all());
      kv.scan(KeyRange.all()).forEachRemaining(found -> assertThat(found.key()).isNotNull());
      kv.compact(2);
      kv.delete(KEY);
      kv.deleteRange(KeyRange.all());
      long lease = kv.leases().grant(Duration.ofMinutes(1)).id();
      kv.leases().renew(lease);
      kv.leases().status(lease);
      kv.leases().list();
      kv.leases().revoke(lease);
      assertThat(heard.stream().filter(line -> line.endsWith("done")))
          .containsExactly(
              "get of 3 bytes: done",
              "txn of 11 bytes: done",
              "txn of 9 bytes: done",
              "range of 1 bytes: done",
              "range of 1 bytes: done",
              "compact of 0 bytes: done",
              "delete of 3 bytes: done",
              "deleteRange of 1 bytes: done",
              "leases.grant of 0 bytes: done",
              "leases.renew of 0 bytes: done",
              "leases.status of 0 bytes: done",
              "leases.list of 0 bytes: done",
              "leases.revoke of 0 bytes: done");
      heard.clear();

      Watch watch = client.watch(KEY, events -> {});
      watch.started().join();
      assertThat(heard).containsExactly("watch begins");
      watch.close();
      Await.until(
          "the end to be told",
          Duration.ofSeconds(30),
          () -> heard.contains("watch of 3 bytes: done"));
      heard.clear();
      WatchOptions wrong = WatchOptions.DEFAULT.withFromRevision(3);
      assertThatThrownBy(() -> client.watchWithSnapshot(KeyRange.all(), wrong, NOBODY))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(heard)
          .contains("watchWithSnapshot begins", "watchWithSnapshot of 1 bytes: failed");
      assertThatThrownBy(() -> kv.put(Bytes.EMPTY, VALUE)).isInstanceOf(KvException.Rejected.class);
      assertThat(heard).contains("put of 5 bytes: rejected");
    }
  }
}
