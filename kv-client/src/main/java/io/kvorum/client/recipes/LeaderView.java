package io.kvorum.client.recipes;

import io.kvorum.api.KeyRange;
import io.kvorum.client.recipes.LeaderElection.Leader;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who leads, as far as this process knows. Cut off from the cluster, it shows the last known
 * leader: what rests on it is checked by its term.
 */
public final class LeaderView implements AutoCloseable {
  private final Consumer<Optional<Leader>> listener;
  private final LiveRange<Optional<Leader>> candidates;

  /** What was told last; the range calls from one thread at a time. */
  private @Nullable Leader told;

  private boolean isTold;

  LeaderView(RecipePorts ports, KeyRange range, Consumer<Optional<Leader>> listener) {
    this.listener = listener;
    this.candidates =
        new LiveRange<>(ports, range, all -> LeaderElection.first(all.values()), this::changed);
  }

  private void changed(Optional<Leader> now) {
    if (!isTold || !Objects.equals(now.orElse(null), told)) {
      isTold = true;
      told = now.orElse(null);
      listener.accept(now);
    }
  }

  /** Completes when it is known for the first time who leads, or that nobody does. */
  public CompletableFuture<Void> started() {
    return candidates.started();
  }

  /** Who leads; empty also before that is known. */
  public Optional<Leader> leader() {
    LiveRange.State<Optional<Leader>> state = candidates.state();
    return state == null ? Optional.empty() : state.value();
  }

  /** Ends the view. The listener may be told once more, if it is just being told. */
  @Override
  public void close() {
    candidates.close();
  }
}
