package io.kvorum.client;

import io.kvorum.api.KvException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls whose futures have not ended, and refuses what would be too many. Any thread.
 */
final class Inflight {
  /** A call without key and value still costs memory. */
  private static final int CALL_BYTES = 256;

  private final int callsMax;
  private final long bytesMax;
  private final Duration retryAfter;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  Inflight(int callsMax, long bytesMax, Duration retryAfter) {
    this.callsMax = callsMax;
    this.bytesMax = bytesMax;
    this.retryAfter = retryAfter;
  }

  /** Counts the call, or says why it may not begin. A single call over all bytes may, alone. */
  KvException.@Nullable Overloaded enter(Request<?> request) {
    if (calls.incrementAndGet() > callsMax) {
      calls.decrementAndGet();
      return overloaded("as many requests under way as inflightMax allows: " + callsMax);
    }
    long weight = weight(request);
    long total = bytes.addAndGet(weight);
    if (total > bytesMax && total != weight) {
      bytes.addAndGet(-weight);
      calls.decrementAndGet();
      return overloaded("as many bytes under way as inflightBytesMax allows: " + bytesMax);
    }
    return null;
  }

  void leave(Request<?> request) {
    bytes.addAndGet(-weight(request));
    calls.decrementAndGet();
  }

  long calls() {
    return calls.get();
  }

  long bytes() {
    return bytes.get();
  }

  private static long weight(Request<?> request) {
    return CALL_BYTES + request.entryBytes();
  }

  private KvException.Overloaded overloaded(String message) {
    return new KvException.Overloaded(message + "; nothing was sent", retryAfter);
  }
}
