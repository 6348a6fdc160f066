package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Writes one key after the other, and remembers which were acknowledged. */
final class SteadyWriter implements AutoCloseable {
  private final KvClient client;
  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private final AtomicLong unacknowledged = new AtomicLong();
  private final Thread thread = new Thread(this::run, "steady writer");
  private volatile boolean closed;
  private volatile Throwable failure;

  SteadyWriter(KvClient client) {
    this.client = client;
    thread.start();
  }

  private void run() {
    try {
      for (int i = 0; !closed; i++) {
        String key = "key-" + i;
        try {
          client.blocking().put(Bytes.utf8(key), Bytes.utf8("value of " + key));
          acknowledged.add(key);
        } catch (KvException.Unavailable | KvException.OutcomeUnknown whileMembersChange) {
          // Nothing was promised.
          unacknowledged.incrementAndGet();
        }
      }
    } catch (RuntimeException unexpected) {
      failure = unexpected;
    }
  }

  List<String> acknowledged() {
    return List.copyOf(acknowledged);
  }

  /** Waits until so many more were acknowledged. */
  void awaitMore(int count) {
    int before = acknowledged.size();
    Await.until(
        count + " more acknowledged writes",
        Duration.ofSeconds(60),
        () -> acknowledged.size() >= before + count,
        () ->
            acknowledged.size() - before + " of them; " + unacknowledged + " not; " + failure);
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw new AssertionError("the writer failed", failure);
    }
  }
}
