package io.kvorum.simulator;

import io.kvorum.api.KvClient;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.node.Loop;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.check.Linearizability;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.TraceHash;
import io.kvorum.simulator.world.DrivenWorld;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A whole cluster in one thread, for tests of services that stand on Kvorum: the real nodes and
 * clients on virtual time, network and disk. One seed decides everything that is left to chance, so
 * a test that does the same does it again exactly, in any JVM.
 *
 * <pre>{@code
 * try (SimCluster cluster = SimCluster.start(17, 3)) {
 *   BlockingKvClient kv = cluster.client().blocking();
 *   kv.put(key, value);
 *   cluster.faults().kill(cluster.awaitLeader());
 *   assertThat(kv.get(key).value()).contains(value);
 * }
 * }</pre>
 *
 * <p><b>Time</b> stands still while the test computes. It passes while somebody waits: in {@link
 * #run}, {@link #runUntil}, {@link #await}, in a blocking call, or for a client's future and all
 * that is derived from it. Concurrent services are therefore written with futures and {@link
 * #after}; their callbacks must not wait. {@code CompletableFuture.allOf} and {@code anyOf} make
 * futures that know nothing of the simulation: wait for these with {@link #await}. All calls come
 * from the thread that has started the cluster.
 *
 * <p><b>Promises.</b> While it runs, the cluster itself is watched for everything it promises. A
 * broken promise is a {@link Violation}, thrown where somebody waits, or at the end.
 */
public final class SimCluster implements AutoCloseable {
  private static final Duration LEADER_WITHIN = Duration.ofSeconds(60);

  /**
   * How a cluster is.
   *
   * @param seed of all chance
   * @param nodes 1 to 7; they are named n1, n2, …
   * @param recovery whether, at the end, everything is healed, and then has to serve and to come to
   *     rest, equal on all nodes
   */
  public record Options(long seed, int nodes, boolean recovery) {
    /** Three nodes, no recovery. */
    public static Options of(long seed) {
      return new Options(seed, 3, false);
    }

    public Options withNodes(int count) {
      return new Options(seed, count, recovery);
    }

    public Options withRecovery() {
      return new Options(seed, nodes, true);
    }
  }

  private final Options options;
  private final List<Checker> checkers;
  private final TraceHash hash = new TraceHash();
  private final DrivenWorld world;
  private final Driver driver;
  private final SimFaults faults;
  private final Map<String, KvClient> clients = new LinkedHashMap<>();
  private boolean closed;
  private boolean told;

  private SimCluster(Options options, List<Checker> checkers) {
    this.options = options;
    this.checkers = checkers;
    this.world = new DrivenWorld(options.seed(), options.nodes(), this::happened);
    this.driver = new Driver(world.time(), this::requireNoViolation);
    this.faults = new SimFaults(this, world);
  }

  /** Starts a cluster of so many nodes; when this returns, one of them leads. */
  public static SimCluster start(long seed, int nodes) {
    return start(Options.of(seed).withNodes(nodes));
  }

  /** Starts a cluster; when this returns, one of its nodes leads. */
  public static SimCluster start(Options options) {
    return start(options, Checkers.all());
  }

  /** With these checkers, which are of this run alone. */
  static SimCluster start(Options options, List<Checker> checkers) {
    SimCluster cluster = new SimCluster(options, checkers);
    String unused = cluster.awaitLeader();
    return cluster;
  }

  private void happened(SimEvent event) {
    hash.add(event);
    for (Checker checker : checkers) {
      checker.on(event);
    }
  }

  private void requireNoViolation() {
    Violation violation = world.violation();
    if (violation != null) {
      told = true;
      throw violation;
    }
  }

  void requireOpen() {
    driver.requireOwner();
    if (closed) {
      throw new IllegalStateException("the simulated cluster is closed");
    }
  }

  /** The seed that decides this run; also for the test's own chance. */
  public long seed() {
    return options.seed();
  }

  /** The names of all nodes, running or not. */
  public List<String> nodes() {
    return world.nodes().stream().map(NodeId::name).toList();
  }

  /** The names of all clients so far. */
  List<String> clients() {
    return List.copyOf(clients.keySet());
  }

  int numberOf(String client) {
    return clients().indexOf(client);
  }

  /** The client named {@code client}. */
  public KvClient client() {
    return client("client");
  }

  /**
   * A client, like a process of its own on a machine of its own; the same for the same name.
   *
   * @throws IllegalArgumentException if a node has that name
   */
  public KvClient client(String name) {
    requireOpen();
    if (nodes().contains(name)) {
      throw new IllegalArgumentException(name + " is a node");
    }
    KvClient known = clients.get(name);
    if (known != null) {
      return known;
    }
    KvClient connected = new DrivenClient(world.connect(name), driver);
    clients.put(name, connected);
    return connected;
  }

  /**
   * What recipes of that client stand on: its timers and callbacks belong to its process, and stand
   * still with it. Wait for the futures of recipes in any way.
   */
  public RecipePorts recipePorts(String name) {
    KvClient client = client(name);
    Loop thread = world.threadOf(numberOf(name));
    return new RecipePorts(
        client, (delay, task) -> thread.schedule(task, delay.toNanos()), thread::execute);
  }

  /** What can be done to it. */
  public SimFaults faults() {
    return faults;
  }

  /** Virtual time since the start. */
  public Duration now() {
    return Duration.ofNanos(world.time().nowNanos());
  }

  /** Lets so much virtual time pass. */
  public void run(Duration duration) {
    requireOpen();
    boolean unused = driver.until(() -> false, duration.toNanos());
  }

  /**
   * Lets virtual time pass until the condition holds; it is looked at after every step.
   *
   * @throws AssertionError if it does not hold within the bound
   */
  public void runUntil(BooleanSupplier condition, Duration bound) {
    requireOpen();
    if (!driver.until(condition, bound.toNanos())) {
      throw new AssertionError("what was waited for has not happened within " + bound);
    }
  }

  /**
   * Lets virtual time pass until the future is complete, for at most ten minutes of it.
   *
   * @return its value
   * @throws java.util.concurrent.CompletionException if it failed, with the failure as its cause
   */
  public <T> T await(CompletableFuture<T> future) {
    runUntil(future::isDone, Driver.WAIT_MAX);
    return future.join();
  }

  /**
   * Runs the task at that time, if somebody waits so long. What it throws reaches whoever waits
   * then. After the end of the cluster no task runs.
   */
  public void after(Duration delay, Runnable task) {
    requireOpen();
    afterNanos(delay.toNanos(), task);
  }

  void afterNanos(long delayNanos, Runnable task) {
    var unused =
        driver.after(
            delayNanos,
            () -> {
              if (!closed) {
                task.run();
              }
            });
  }

  /** Who leads, if somebody leads: of several that believe so, the one of the newest term. */
  public Optional<String> leader() {
    return world.leader().map(NodeId::name);
  }

  /**
   * Lets virtual time pass until a node leads.
   *
   * @throws AssertionError if none does within a minute
   */
  public String awaitLeader() {
    runUntil(() -> leader().isPresent(), LEADER_WITHIN);
    return leader().orElseThrow();
  }

  /** Whether a process of that node runs: none does after a kill, or when it has stopped itself. */
  public boolean isUp(String node) {
    return world.isUp(new NodeId(node));
  }

  /** A hash of all that has happened so far: equal for equal runs. */
  public String traceHash() {
    return Long.toHexString(hash.value());
  }

  /**
   * Ends the run: calls under way end, the recovery follows if it was asked for, and the run as a
   * whole is judged.
   *
   * @throws Violation if Kvorum has broken a promise, and nobody was told of it yet
   */
  @Override
  public void close() {
    driver.requireOwner();
    if (closed) {
      return;
    }
    closed = true;
    if (told) {
      return;
    }
    if (options.recovery()) {
      world.recover();
    } else {
      world.end();
    }
    requireNoViolation();
    checkers.forEach(Checker::atEnd);
    if (Linearizability.isUndecided(checkers)) {
      throw new AssertionError(
          "too many calls at once, or of unknown outcome, to tell whether all is linearizable");
    }
  }
}
