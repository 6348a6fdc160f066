package io.kvorum.simulator;

import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import java.util.concurrent.CompletableFuture;

/** A watch whose futures move the simulation on when somebody waits for them. */
record DrivenWatch(Watch watch, Driver driver) implements Watch {
  @Override
  public CompletableFuture<Long> started() {
    return DrivenFuture.of(watch.started(), driver);
  }

  @Override
  public CompletableFuture<WatchEnd> ended() {
    return DrivenFuture.of(watch.ended(), driver);
  }

  @Override
  public void requestProgress() {
    driver.requireOwner();
    watch.requestProgress();
  }

  @Override
  public void close() {
    driver.requireOwner();
    watch.close();
  }
}
