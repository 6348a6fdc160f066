package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.recipes.Candidacy;
import io.kvorum.client.recipes.LeaderElection;
import io.kvorum.client.recipes.Leadership;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.client.recipes.TermListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A job that one of several processes does, again and again: the leader, as long as it leads. */
public final class LeaderJob implements AutoCloseable {
  private static final Duration TTL = Duration.ofSeconds(3);

  private final ScheduledExecutorService worker = Executors.newSingleThreadScheduledExecutor();
  private final Candidacy candidacy;

  /**
   * Stands for election, until it is closed.
   *
   * @param job is given the term: whatever it changes should refuse an older one
   */
  public LeaderJob(KvClient kv, String name, Duration every, LongConsumer job) {
    LeaderElection election = LeaderElection.of(RecipePorts.of(kv), "jobs/cleaning");
    candidacy =
        election.stand(
            TTL,
            Bytes.utf8(name),
            new TermListener() {
              private @Nullable ScheduledFuture<?> running;

              @Override
              public void elected(Leadership leadership) {
                Runnable turn =
                    () -> {
                      if (leadership.isLeading()) {
                        job.accept(leadership.term());
                      }
                    };
                running =
                    worker.scheduleWithFixedDelay(turn, 0, every.toMillis(), TimeUnit.MILLISECONDS);
              }

              @Override
              public void lost(long term, String why) {
                if (running != null) {
                  running.cancel(true);
                }
              }
            });
  }

  /** Resigns: another one goes on with the job. */
  @Override
  public void close() {
    candidacy.close();
    worker.shutdownNow();
  }

  public static void main(String[] args) throws InterruptedException {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    CountDownLatch done = new CountDownLatch(3);
    try (RemoteKvClient client = RemoteKvClient.connect(config)) {
      LeaderJob job =
          new LeaderJob(
              client,
              "this process",
              Duration.ofMillis(100),
              term -> {
                System.out.println("cleaning in term " + term);
                done.countDown();
              });
      done.await();
      job.close();
    }
  }
}
