package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A setting that lives in a key, as a value of the application's own type, and follows it.
 *
 * <p><b>Guarantees.</b> The value never goes back to an older one, and is the newest as soon as
 * this process hears of it. What cannot be decoded changes nothing: the last good value stays, and
 * the listener is told what is wrong. While the cluster cannot be reached, or this process is
 * paused, the last known value stays; then the newest one follows, also where compaction has
 * removed what was between.
 *
 * <p><b>Not guaranteed:</b> that all processes use a value at the same time, or that a listener is
 * told of each value: of those that come while it is busy it is told the newest.
 *
 * @param <T> what the key's value means
 */
public final class ConfigSource<T> implements AutoCloseable {
  /**
   * Hears of changes, one call at a time, on the executor for callbacks.
   *
   * @param <T> what the key's value means
   */
  @FunctionalInterface
  public interface Listener<T> {
    /** There is another value. */
    void changed(T value);

    /** The key was deleted, or does not exist. The last value stays in use. */
    default void removed() {}

    /**
     * The key holds what cannot be decoded. The last value stays in use.
     *
     * @param revision of that put
     */
    default void refused(long revision, RuntimeException why) {}
  }

  /** What the key held last, and what is used. */
  private record Read<T>(
      boolean exists, long revision, @Nullable RuntimeException refusal, Optional<T> good) {}

  private final Function<Bytes, T> codec;
  private final Listener<T> listener;
  private final LiveRange<Read<T>> range;

  /** What was used last; the range asks from one thread at a time. */
  private Optional<T> good = Optional.empty();

  /** What was told last; the range tells from one thread at a time. */
  private @Nullable Read<T> told;

  private ConfigSource(
      RecipePorts ports, Bytes key, Function<Bytes, T> codec, Listener<T> listener) {
    this.codec = codec;
    this.listener = listener;
    this.range = new LiveRange<>(ports, KeyRange.single(key), this::read, this::tell);
  }

  /** Follows a key; see {@link #of(RecipePorts, String, Function, Listener)}. */
  public static <T> ConfigSource<T> of(RecipePorts ports, String key, Function<Bytes, T> codec) {
    return of(ports, key, codec, value -> {});
  }

  /**
   * Follows a key, until the source is closed.
   *
   * @param codec makes a value of the key's bytes; what it throws refuses them
   */
  public static <T> ConfigSource<T> of(
      RecipePorts ports, String key, Function<Bytes, T> codec, Listener<T> listener) {
    return new ConfigSource<>(ports, Bytes.utf8(key), codec, listener);
  }

  private Read<T> read(SortedMap<Bytes, KeyValue> found) {
    KeyValue present = found.isEmpty() ? null : found.get(found.firstKey());
    if (present == null) {
      return new Read<>(false, 0, null, good);
    }
    try {
      good = Optional.of(codec.apply(present.value()));
      return new Read<>(true, present.modRevision(), null, good);
    } catch (RuntimeException refused) {
      return new Read<>(true, present.modRevision(), refused, good);
    }
  }

  private void tell(Read<T> now) {
    Read<T> before = told;
    told = now;
    if (!now.exists()) {
      if (before == null || before.exists()) {
        listener.removed();
      }
    } else if (before != null && before.exists() && before.revision() == now.revision()) {
      // Read anew after a compaction, and found as it was.
      return;
    } else if (now.refusal() != null) {
      listener.refused(now.revision(), now.refusal());
    } else {
      listener.changed(now.good().orElseThrow());
    }
  }

  /**
   * Completes when it is known for the first time what the key holds, or that it does not exist.
   */
  public CompletableFuture<Void> started() {
    return range.started();
  }

  /** The last good value; empty if there was none yet. */
  public Optional<T> value() {
    LiveRange.State<Read<T>> state = range.state();
    return state == null ? Optional.empty() : state.value().good();
  }

  /**
   * The last good value.
   *
   * @throws NoSuchElementException if there was none yet
   */
  public T require() {
    return value().orElseThrow(() -> new NoSuchElementException("the setting has no value yet"));
  }

  /** Ends it; the last value stays. The listener may be told once more. */
  @Override
  public void close() {
    range.close();
  }
}
