package io.kvorum.simulator.world;

import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.port.Loop;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** A process with the real client in it, on a machine of its own. */
final class SimClient implements SimLane.Host {
  private final World world;
  private final int number;
  private final String name;
  private final MachineClock clock;
  private final SimLane loop;
  private final SimLane callbacks;
  private final RemoteKvClient client;

  /**
   * A client that may use these endpoints.
   *
   * @param number of its ways to the nodes in the network
   */
  SimClient(World world, int number, String name, List<Endpoint> endpoints) {
    this.world = world;
    this.number = number;
    this.name = name;
    SplittableRandom random = world.streams().of(name);
    this.clock = new MachineClock(world.time(), random.nextLong(1L << 50));
    this.loop = new SimLane(world.time(), clock, random.split(), this, SimLane.WAKE_NANOS_MAX);
    this.callbacks = new SimLane(world.time(), clock, random.split(), this, SimLane.WAKE_NANOS_MAX);
    ClientConfig config =
        ClientConfig.builder()
            .endpoints(endpoints)
            .requestTimeout(Duration.ofMillis(2_000 + random.nextInt(4_000)))
            .clientName(name)
            .callbackExecutor(callbacks::execute)
            .watchWindowBytes(1 << (10 + random.nextInt(11)))
            .random(random.split())
            .build();
    this.client = RemoteKvClient.connect(config, new LoopPort(), world.clients().connectorOf(this));
  }

  int number() {
    return number;
  }

  String name() {
    return name;
  }

  MachineClock clock() {
    return clock;
  }

  SimLane loop() {
    return loop;
  }

  RemoteKvClient client() {
    return client;
  }

  /** The thread of its process that runs what belongs to the application. */
  SimLane callbacks() {
    return callbacks;
  }

  /** The whole process stands still for so long; its clock does not. */
  void pause(long nanos) {
    loop.pause(nanos);
    callbacks.pause(nanos);
  }

  @Override
  public boolean isAlive() {
    return true;
  }

  @Override
  public void uncaught(Throwable failure) {
    world.journal().violated("NoClientFails", "client " + number + ": " + Texts.of(failure));
  }

  /** What the client knows of its lane and clock. */
  private final class LoopPort implements Loop {
    @Override
    public long nanoTime() {
      return clock.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return clock.schedule(delayNanos, () -> loop.arrive(task))::cancel;
    }

    @Override
    public void close() {
      // A simulated client lives as long as its world.
    }
  }
}
