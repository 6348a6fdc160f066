package io.kvorum.simulator.world;

import io.kvorum.client.port.Connection;
import io.kvorum.client.port.Connector;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.server.net.ClientSession;
import io.kvorum.server.watch.FrameSink;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Connections between clients and nodes, as TCP makes them: in order, once or not at all; silent
 * where the network is cut, and what was held up arrives when it is mended, even if its client has
 * long given up.
 */
final class ClientNetwork {
  private static final long DELAY_NANOS_MIN = 50_000;
  private static final long DELAY_NANOS_MAX = 1_000_000;

  private final World world;
  private final SplittableRandom random;
  private final Set<Wire> wires = new LinkedHashSet<>();

  /** By client, then by node. */
  private final boolean[][] cut;

  /** Where there is no way at all, and the network says so. */
  private final boolean[][] split;

  ClientNetwork(World world, int clients, int machines) {
    this.world = world;
    this.random = world.streams().of("clients' network");
    this.cut = new boolean[clients][machines];
    this.split = new boolean[clients][machines];
  }

  Connector connectorOf(SimClient client) {
    return (host, port, timeoutNanos, listener) -> connect(client, host, timeoutNanos, listener);
  }

  private Connection connect(
      SimClient client, String host, long timeoutNanos, Connection.Listener listener) {
    Machine machine = world.machineAt(host);
    Wire wire = new Wire(client, machine, listener);
    wires.add(wire);
    if (split[client.number()][machine.number()]) {
      client
          .clock()
          .schedule(DELAY_NANOS_MAX, () -> wire.toClient(() -> wire.end("no way", false)));
    } else if (isCut(client, machine) || machine.disk().isDown()) {
      client.clock().schedule(timeoutNanos, () -> wire.toClient(() -> wire.end("timed out", true)));
    } else {
      wire.up.carry(wire::arrive);
    }
    return wire;
  }

  private boolean isCut(SimClient client, Machine machine) {
    return cut[client.number()][machine.number()];
  }

  void cut(int client, int machine) {
    cut[client][machine] = true;
  }

  /** Connections across break; what was cut before is not any more. */
  void split(int clients, Predicate<Machine> isOnSide) {
    healCuts();
    for (int client = 0; client < world.options().clients(); client++) {
      for (Machine machine : world.machines()) {
        boolean across = (client < clients) != isOnSide.test(machine);
        split[client][machine.number()] = across;
        if (across) {
          breakConnections(client, machine.number());
        }
      }
    }
  }

  /** What was held up goes on. */
  void healCuts() {
    for (boolean[] row : cut) {
      Arrays.fill(row, false);
    }
    for (boolean[] row : split) {
      Arrays.fill(row, false);
    }
    for (Wire wire : new LinkedHashSet<>(wires)) {
      wire.up.goOn();
      wire.down.goOn();
    }
  }

  void breakConnections(int client, int machine) {
    for (Wire wire : new LinkedHashSet<>(wires)) {
      if (wire.client.number() == client && wire.machine.number() == machine) {
        wire.breaks();
      }
    }
  }

  /** The process ended; with a reset, its clients hear of it as soon as the network lets them. */
  void processEnded(Machine machine, boolean resets) {
    for (Wire wire : new LinkedHashSet<>(wires)) {
      if (wire.machine == machine && resets) {
        wire.down.carry(() -> wire.toClient(() -> wire.end("connection reset", false)));
      }
    }
  }

  /**
   * One direction of a connection. Whatever arrives is what was sent first of all that is under
   * way: what was held up is not overtaken by what was already behind it.
   */
  private final class Pipe {
    private final Wire wire;
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();
    private long lastArrivalNanos;

    Pipe(Wire wire) {
      this.wire = wire;
    }

    void carry(Runnable arrival) {
      underWay.add(arrival);
      arriveLater();
    }

    private void arriveLater() {
      long now = world.time().nowNanos();
      long at = now + DELAY_NANOS_MIN + random.nextLong(DELAY_NANOS_MAX - DELAY_NANOS_MIN);
      lastArrivalNanos = Math.max(lastArrivalNanos, at);
      world.time().after(lastArrivalNanos - now, () -> arrived(underWay.remove()));
    }

    private void arrived(Runnable arrival) {
      if (isCut(wire.client, wire.machine) || !held.isEmpty()) {
        held.add(arrival);
      } else {
        arrival.run();
      }
    }

    void goOn() {
      for (Runnable last = held.pollLast(); last != null; last = held.pollLast()) {
        underWay.addFirst(last);
        arriveLater();
      }
    }
  }

  /** Both ends of a connection. */
  private final class Wire implements Connection, FrameSink {
    private final SimClient client;
    private final Machine machine;
    private final Listener listener;
    private final Pipe up = new Pipe(this);
    private final Pipe down = new Pipe(this);
    private @Nullable NodeProcess server;
    private @Nullable ClientSession session;
    private boolean opened;
    private boolean closed;
    private boolean broken;

    Wire(SimClient client, Machine machine, Listener listener) {
      this.client = client;
      this.machine = machine;
      this.listener = listener;
    }

    private void toClient(Runnable news) {
      client.loop().arrive(news);
    }

    /** At the server: somebody wants to connect. */
    private void arrive() {
      NodeProcess process = machine.process();
      if (machine.disk().isDown()) {
        return;
      }
      if (process == null || !process.isOpen()) {
        down.carry(() -> toClient(() -> end("connection refused", false)));
        return;
      }
      server = process;
      down.carry(() -> toClient(this::open));
    }

    private void open() {
      if (!closed) {
        opened = true;
        listener.opened();
      }
    }

    @Override
    public void send(ClientFrame frame) {
      if (opened && !closed) {
        up.carry(() -> arrive(frame));
      }
    }

    private void arrive(ClientFrame frame) {
      NodeProcess process = server;
      if (broken || process == null) {
        return;
      }
      if (process.isAlive()) {
        process.loop().arrive(() -> session(process).handle(frame, this::push));
      } else if (machine.isUp()) {
        // Another process listens there now, whose system does not know this connection.
        down.carry(() -> toClient(() -> end("connection reset", false)));
      }
    }

    private ClientSession session(NodeProcess process) {
      if (session == null) {
        session = new ClientSession(process.serving().handler(), this);
      }
      return session;
    }

    /** The server's system knows that the connection has ended, unless it is the network's. */
    private void endSession() {
      NodeProcess process = server;
      if (process != null && process.isAlive()) {
        process.loop().arrive(() -> session(process).close());
      }
    }

    @Override
    public void push(ServerFrame frame) {
      // Whoever has a wrong state and does not know it yet may say anything. From its quarantine
      // on it says nothing wrong; only what it told its watches before is not told on.
      boolean isWatch = frame.getBodyCase().name().startsWith("WATCH");
      if (machine.isUnknowinglyWrong() || (machine.isDoubtful() && isWatch)) {
        breaks();
      }
      if (!broken) {
        down.carry(() -> toClient(() -> receive(frame)));
      }
    }

    private void receive(ServerFrame frame) {
      if (!closed && !broken) {
        listener.received(frame);
      }
    }

    /** What is under way is lost, both ends hear of it. */
    private void breaks() {
      broken = true;
      endSession();
      toClient(() -> end("connection broken", false));
    }

    private void end(String why, boolean timedOut) {
      if (!closed) {
        close();
        listener.closed(why, timedOut);
      }
    }

    @Override
    public boolean isWritable() {
      return opened && !closed;
    }

    @Override
    public void close() {
      closed = true;
      // What was sent before still arrives, perhaps only when the network is mended.
      up.carry(
          () -> {
            wires.remove(this);
            endSession();
          });
    }
  }
}
