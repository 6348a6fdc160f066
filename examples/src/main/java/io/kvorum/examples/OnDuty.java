package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeptLease;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.LeaseListener;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Watch;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Who is on duty: a key that lives as long as its owner, changes that others follow, and a write
 * that may be repeated without being made twice.
 */
final class OnDuty {
  private OnDuty() {}

  /** The name stands there until it is taken back, or its process is gone for ten seconds. */
  static KeptLease begin(KvClient client, String name, LeaseListener listener) {
    // readme: lease
    long lease = client.blocking().leases().grant(Duration.ofSeconds(10)).id();
    client
        .blocking()
        .put(Bytes.utf8("duty/" + name), Bytes.utf8("here"), PutOptions.DEFAULT.withLease(lease));
    KeptLease kept = client.leases().keepAlive(lease, listener); // until it is closed
    // readme: end
    return kept;
  }

  /** Tells of everybody who comes and goes from now on. */
  static Watch follow(KvClient client, Consumer<String> heard) {
    // readme: watch
    Watch watch =
        client.watch(
            KeyRange.prefix(Bytes.utf8("duty/")),
            events ->
                events
                    .events()
                    .forEach(event -> heard.accept(event.type() + " " + event.keyValue().key())));
    // readme: end
    return watch;
  }

  /** Pays once for one invoice, whoever asks how often, for a day. */
  static void pay(KvClient client, String invoice, Bytes payment) {
    // readme: idempotency
    client
        .blocking()
        .put(
            Bytes.utf8("payments/" + invoice),
            payment,
            PutOptions.DEFAULT.withIdempotencyKey(
                Bytes.utf8("pay " + invoice), Duration.ofDays(1)));
    // readme: end
  }
}
