package io.kvorum.client;

import io.kvorum.protocol.ProtocolLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * How a {@link RemoteKvClient} reaches its cluster and what it may hold.
 *
 * @param endpoints of the cluster; one is enough, the client learns the others. Tried in this order
 * @param requestTimeout from the call to the end of its future, retries included
 * @param connectTimeout for a connection, its Hello included. The longer, the later a call turns
 *     from a machine that is gone to the next endpoint
 * @param silence how long a server with requests may say nothing before it is probed; after the
 *     same time again the connection is given up
 * @param backoff between tries
 * @param inflightMax requests whose futures have not ended; one more fails with {@code Overloaded}
 * @param inflightBytesMax bytes of keys and values of these
 * @param watchWindowBytes bytes of events that each watch takes ahead of its listener; at least 1
 *     KiB
 * @param sessionTtl for how long the cluster keeps the session of a client that it does not hear
 *     from, at least 2 s; in a session, a write that was sent and not answered is sent again, and
 *     takes effect once. Zero: no session, and no such write is sent again
 * @param clusterId the only cluster to talk to; empty: the first one met
 * @param clientName names this client in the servers' logs
 * @param callbackExecutor completes futures and runs listeners of watches; empty: for futures one
 *     thread of the client's own, on which a callback that waits for another future of this client
 *     waits for ever ({@link io.kvorum.api.KvClient#mayWait}), and for listeners up to 16 others
 * @param random for the jitter of retries; used by one thread. Empty: seeded anew
 */
public record ClientConfig(
    List<Endpoint> endpoints,
    Duration requestTimeout,
    Duration connectTimeout,
    Duration silence,
    Backoff backoff,
    int inflightMax,
    long inflightBytesMax,
    int watchWindowBytes,
    Duration sessionTtl,
    Optional<String> clusterId,
    String clientName,
    Optional<Executor> callbackExecutor,
    Optional<RandomGenerator> random) {
  /** Longer times would overflow nanoseconds when added up. */
  private static final Duration TIME_MAX = Duration.ofDays(365);

  /** The cluster raises what is shorter. */
  private static final Duration SESSION_TTL_MIN = Duration.ofSeconds(2);

  public ClientConfig {
    endpoints = List.copyOf(endpoints);
    if (endpoints.isEmpty()) {
      throw new IllegalArgumentException("a client needs at least one endpoint");
    }
    checkTime("requestTimeout", requestTimeout);
    checkTime("connectTimeout", connectTimeout);
    checkTime("silence", silence);
    if (inflightMax < 1) {
      throw new IllegalArgumentException("inflightMax must be at least 1, not " + inflightMax);
    }
    if (inflightBytesMax < 1) {
      throw new IllegalArgumentException(
          "inflightBytesMax must be at least 1, not " + inflightBytesMax);
    }
    if (watchWindowBytes < 1 << 10) {
      throw new IllegalArgumentException(
          "watchWindowBytes must be at least 1024, not " + watchWindowBytes);
    }
    if (!sessionTtl.isZero()) {
      checkTime("sessionTtl", sessionTtl);
      if (sessionTtl.compareTo(SESSION_TTL_MIN) < 0) {
        throw new IllegalArgumentException(
            "sessionTtl must be zero, or at least "
                + SESSION_TTL_MIN.toSeconds()
                + " s, not "
                + sessionTtl);
      }
    }
    if (clusterId.isPresent() && clusterId.get().isBlank()) {
      throw new IllegalArgumentException("clusterId must not be blank; leave it out for any");
    }
  }

  static void checkTime(String name, Duration time) {
    if (time.isNegative() || time.isZero() || time.compareTo(TIME_MAX) > 0) {
      throw new IllegalArgumentException(
          name + " must be positive and at most " + TIME_MAX.toDays() + " days, not " + time);
    }
  }

  /** The defaults for these endpoints. */
  public static ClientConfig of(Endpoint... endpoints) {
    return builder().endpoints(List.of(endpoints)).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Sets what differs from the defaults. */
  public static final class Builder {
    private List<Endpoint> endpoints = List.of();
    private Duration requestTimeout = Duration.ofSeconds(5);
    private Duration connectTimeout = Duration.ofSeconds(1);
    private Duration silence = Duration.ofSeconds(1);
    private Backoff backoff = Backoff.DEFAULT;
    private int inflightMax = 16_384;
    private long inflightBytesMax = 64L << 20;
    private int watchWindowBytes = ProtocolLimits.WATCH_WINDOW_BYTES;
    private Duration sessionTtl = Duration.ofSeconds(60);
    private Optional<String> clusterId = Optional.empty();
    private String clientName = "java";
    private Optional<Executor> callbackExecutor = Optional.empty();
    private Optional<RandomGenerator> random = Optional.empty();

    private Builder() {}

    /** Required. */
    public Builder endpoints(List<Endpoint> those) {
      endpoints = List.copyOf(those);
      return this;
    }

    /** As {@link Endpoint#parseList} reads them. */
    public Builder endpoints(String commaSeparated) {
      return endpoints(Endpoint.parseList(commaSeparated));
    }

    /** Default: 5 s. */
    public Builder requestTimeout(Duration time) {
      requestTimeout = time;
      return this;
    }

    /**
     * Default: 2 s, which outlasts one lost packet: TCP sends the first one again after a second.
     */
    public Builder connectTimeout(Duration time) {
      connectTimeout = time;
      return this;
    }

    /** Default: 1 s. */
    public Builder silence(Duration time) {
      silence = time;
      return this;
    }

    /** Default: 10 ms to 1 s. */
    public Builder backoff(Backoff between) {
      backoff = between;
      return this;
    }

    /** Default: 16,384. */
    public Builder inflightMax(int requests) {
      inflightMax = requests;
      return this;
    }

    /** Default: 64 MiB. */
    public Builder inflightBytesMax(long bytes) {
      inflightBytesMax = bytes;
      return this;
    }

    /** Default: 1 MiB. */
    public Builder watchWindowBytes(int bytes) {
      watchWindowBytes = bytes;
      return this;
    }

    /** Default: 60 s. Zero: writes that were sent and not answered are not sent again. */
    public Builder sessionTtl(Duration time) {
      sessionTtl = time;
      return this;
    }

    /** Default: the cluster that is met first. */
    public Builder clusterId(String id) {
      clusterId = Optional.of(id);
      return this;
    }

    /** Default: java. */
    public Builder clientName(String name) {
      clientName = name;
      return this;
    }

    /** Default: a thread of the client's own. One that is given is not shut down by the client. */
    public Builder callbackExecutor(Executor executor) {
      callbackExecutor = Optional.of(executor);
      return this;
    }

    /** Default: seeded anew for each client. */
    public Builder random(RandomGenerator generator) {
      random = Optional.of(generator);
      return this;
    }

    public ClientConfig build() {
      return new ClientConfig(
          endpoints,
          requestTimeout,
          connectTimeout,
          silence,
          backoff,
          inflightMax,
          inflightBytesMax,
          watchWindowBytes,
          sessionTtl,
          clusterId,
          clientName,
          callbackExecutor,
          random);
    }
  }
}
