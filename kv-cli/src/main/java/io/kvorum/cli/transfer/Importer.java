package io.kvorum.cli.transfer;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.PutResult;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts the pairs of a {@link RecordReader}, many at once.
 *
 * <p>A put whose outcome is unknown is put again: the same pair twice leaves what once leaves. That
 * stops being true once the same key follows with another value, for the first attempt might still
 * land behind it; so two puts of a key are never under way together, and a key whose outcome was
 * unknown must not come again in the same import.
 */
public final class Importer {
  /** Enough to fill the batches of a busy leader. */
  public static final int OUTSTANDING_MAX = 1024;

  private static final long OUTSTANDING_BYTES_MAX = 16L << 20;

  /** Each attempt lasts up to the client's own deadline. */
  private static final int ATTEMPTS_MAX = 3;

  private final KvClient client;
  private final LongConsumer progress;
  private final Window window = new Window(OUTSTANDING_MAX, OUTSTANDING_BYTES_MAX);
  private final Set<Bytes> underWay = new HashSet<>();
  private final Set<Bytes> unknownBefore = new HashSet<>();
  private long stored;
  private long repeated;
  private @Nullable Throwable failure;

  /**
   * @param progress told how many are stored after each one, on threads of the client
   */
  public Importer(KvClient client, LongConsumer progress) {
    this.client = client;
    this.progress = progress;
  }

  /**
   * What was stored.
   *
   * @param stored pairs that a majority holds
   * @param repeated puts repeated because their outcome was unknown, or not executed
   * @param failure what stopped the import: a {@link KvException}, an {@link IOException} of the
   *     source, or a bug; null when the source was read to its end
   */
  public record Result(long stored, long repeated, @Nullable Throwable failure) {}

  /**
   * Reads the source to its end, or to the first failure, and waits for the puts under way. Once
   * only for each importer.
   *
   * @param prefix put before each key
   */
  public Result run(RecordReader source, Bytes prefix) throws InterruptedException {
    try {
      KeyValuePair pair = source.next();
      while (pair != null && mayGoOn()) {
        start(new KeyValuePair(join(prefix, pair.key()), pair.value()));
        pair = source.next();
      }
    } catch (IOException unreadable) {
      fail(unreadable);
    }
    window.awaitEmpty();
    synchronized (this) {
      return new Result(stored, repeated, failure);
    }
  }

  private void start(KeyValuePair pair) throws InterruptedException {
    long size = sizeOf(pair);
    window.enter(size);
    synchronized (this) {
      while (underWay.contains(pair.key())) {
        wait();
      }
      if (unknownBefore.contains(pair.key())) {
        fail(
            new KvException.OutcomeUnknown(
                "an earlier put of "
                    + pair.key()
                    + " has an unknown outcome and might still land behind this one"));
      }
      if (failure != null) {
        window.leave(size);
        return;
      }
      underWay.add(pair.key());
    }
    attempt(pair, 1);
  }

  private void attempt(KeyValuePair pair, int attempt) {
    CompletableFuture<PutResult> put;
    try {
      put = client.put(pair.key(), pair.value());
    } catch (RuntimeException bug) {
      // A client answers through the future. One that throws would leave us waiting for ever.
      finish(pair, bug);
      return;
    }
    var unused =
        put.whenComplete(
            (done, thrown) -> {
              if (thrown == null) {
                finish(pair, null);
              } else {
                onFailure(pair, attempt, unwrap(thrown));
              }
            });
  }

  private void onFailure(KeyValuePair pair, int attempt, Throwable cause) {
    boolean unknown = cause instanceof KvException.OutcomeUnknown;
    boolean again = unknown || cause instanceof KvException.Unavailable;
    synchronized (this) {
      if (unknown) {
        unknownBefore.add(pair.key());
      }
      if (again && attempt < ATTEMPTS_MAX && failure == null) {
        repeated++;
      } else {
        again = false;
      }
    }
    if (!again) {
      finish(pair, cause);
    } else if (cause instanceof KvException.Overloaded overloaded) {
      long millis = overloaded.retryAfter().toMillis();
      Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
      later.execute(() -> attempt(pair, attempt + 1));
    } else {
      attempt(pair, attempt + 1);
    }
  }

  private void finish(KeyValuePair pair, @Nullable Throwable cause) {
    long now;
    synchronized (this) {
      underWay.remove(pair.key());
      notifyAll();
      if (cause != null) {
        fail(cause);
      } else {
        stored++;
      }
      now = stored;
    }
    try {
      progress.accept(now);
    } finally {
      window.leave(sizeOf(pair));
    }
  }

  private synchronized boolean mayGoOn() {
    return failure == null;
  }

  /** The first failure stands; those that follow are its company. */
  private synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  private static long sizeOf(KeyValuePair pair) {
    return pair.key().size() + (long) pair.value().size();
  }

  private static Bytes join(Bytes prefix, Bytes key) {
    if (prefix.isEmpty()) {
      return key;
    }
    byte[] joined = new byte[prefix.size() + key.size()];
    System.arraycopy(prefix.arrayUnsafe(), 0, joined, 0, prefix.size());
    System.arraycopy(key.arrayUnsafe(), 0, joined, prefix.size(), key.size());
    return Bytes.wrapUnsafe(joined);
  }

  private static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof CompletionException && cause != null ? cause : thrown;
  }
}
