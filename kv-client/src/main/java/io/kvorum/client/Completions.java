package io.kvorum.client;

import io.kvorum.client.port.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Completes the futures of calls on the callback executor: what ended in one turn of the loop, in
 * one task, since handing over costs more than completing.
 */
final class Completions {
  private final Loop loop;
  private final Executor executor;
  private final Inflight inflight;
  private List<Call<?>> ended = new ArrayList<>();

  Completions(Loop loop, Executor executor, Inflight inflight) {
    this.loop = loop;
    this.executor = executor;
    this.inflight = inflight;
  }

  /** Takes a call that has ended. On the loop. */
  void add(Call<?> call) {
    if (call.isOwn) {
      // Not behind the callbacks of users, who may take their time.
      loop.execute(call::complete);
      return;
    }
    ended.add(call);
    if (ended.size() == 1) {
      loop.execute(this::flush);
    }
  }

  /** Hands over what was added. On the loop. */
  void flush() {
    if (ended.isEmpty()) {
      return;
    }
    List<Call<?>> batch = ended;
    ended = new ArrayList<>();
    executor.execute(() -> complete(batch));
  }

  private void complete(List<Call<?>> batch) {
    batch.forEach(this::completeNow);
  }

  /** Completes on this thread: for a call whose future nobody has seen, or on the executor. */
  void completeNow(Call<?> call) {
    // First, so that a callback may use the place that its own call has left.
    if (!call.isOwn) {
      inflight.leave(call.request);
    }
    call.complete();
  }
}
