package io.kvorum.simulator.world;

import io.kvorum.node.Features;
import io.kvorum.node.GroupMark;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.node.netty.Greeting;
import io.kvorum.node.netty.HelloAnswer;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages between members: late, out of order, twice, or not at all, each direction on its
 * own. It never delivers what a member's {@link io.kvorum.node.netty.HelloPolicy} refuses, nor what
 * was sent to a disk that is no longer there: so much every transport promises.
 */
final class PeerNetwork {
  /** Beyond so many messages under way in one direction, further ones are dropped. */
  private static final int QUEUE_MESSAGES_MAX = 4096;

  private static final long LATE_NANOS_MAX = 5_000_000_000L;
  private static final long DELAY_NANOS_MIN = 20_000;

  /** One direction between two members. */
  private static final class Way {
    private boolean cut;
    private int underWay;

    /** Rises when the connection breaks: what was under way on the old one is lost. */
    private int connection;
  }

  private final World world;
  private final SplittableRandom random;
  private final Map<NodeId, Machine> machines = new HashMap<>();
  private final Way[][] ways;
  private Fault.Weather weather;
  private long lastMessage;
  private boolean isEverLate;

  PeerNetwork(World world, List<Machine> all, Fault.Weather weather) {
    this.world = world;
    this.random = world.streams().of("peers");
    this.weather = weather;
    this.ways = new Way[all.size()][all.size()];
    for (Machine machine : all) {
      machines.put(machine.id(), machine);
      for (int to = 0; to < all.size(); to++) {
        ways[machine.number()][to] = new Way();
      }
    }
  }

  Endpoint endpoint(NodeProcess process) {
    return new Endpoint(process);
  }

  void weather(Fault.Weather other) {
    weather = other;
  }

  void cut(NodeId from, NodeId to) {
    way(from, to).cut = true;
  }

  void isolate(NodeId node) {
    for (NodeId other : machines.keySet()) {
      way(node, other).cut = true;
      way(other, node).cut = true;
    }
  }

  /** Cut is what leads from one part to the other, and nothing else. Connections across break. */
  void split(Set<NodeId> side) {
    for (Machine from : world.machines()) {
      for (Machine to : world.machines()) {
        boolean across = side.contains(from.id()) != side.contains(to.id());
        ways[from.number()][to.number()].cut = across;
        if (across) {
          ways[from.number()][to.number()].connection++;
          tellUnreachable(from, to.id());
        }
      }
    }
  }

  void healCuts() {
    for (Way[] row : ways) {
      for (Way way : row) {
        way.cut = false;
      }
    }
  }

  /** Both connections between the two end; both sides hear of it. */
  void breakConnections(NodeId one, NodeId other) {
    way(one, other).connection++;
    way(other, one).connection++;
    tellUnreachable(machine(one), other);
    tellUnreachable(machine(other), one);
  }

  /** A process ended; with a reset, the others hear of it unless they are cut off. */
  void processEnded(Machine machine, boolean resets) {
    if (!resets) {
      return;
    }
    for (Machine other : world.machines()) {
      if (other != machine && !ways[machine.number()][other.number()].cut) {
        tellUnreachable(other, machine.id());
      }
    }
  }

  private void tellUnreachable(Machine who, NodeId gone) {
    NodeProcess process = who.process();
    if (process != null) {
      world
          .time()
          .after(
              DELAY_NANOS_MIN + random.nextLong(1_000_000),
              () -> process.loop().arrive(() -> process.peers().unreachable(gone)));
    }
  }

  private Machine machine(NodeId id) {
    Machine machine = machines.get(id);
    if (machine == null) {
      throw new IllegalArgumentException(id + " is no machine of this world");
    }
    return machine;
  }

  private Way way(NodeId from, NodeId to) {
    return ways[machine(from).number()][machine(to).number()];
  }

  private void send(NodeProcess sender, Cargo cargo) {
    sender.look();
    Machine from = sender.machine();
    Machine to = machine(cargo.to());
    Parcel parcel = new Parcel(sender, to, cargo, ++lastMessage);
    parcel.tellSent();
    Way way = ways[from.number()][to.number()];
    if (!sender.peers().reachable.contains(to.id())) {
      parcel.lose("no address");
    } else if (way.cut) {
      parcel.lose("cut");
    } else if (way.underWay >= QUEUE_MESSAGES_MAX) {
      parcel.lose("queue full");
    } else if (happens(weather.losePerMille())) {
      parcel.lose("lost");
    } else {
      parcel.travel(way);
      if (happens(weather.repeatPerMille())) {
        Parcel again = new Parcel(sender, to, cargo, ++lastMessage);
        again.tellSent();
        again.travel(way);
      }
    }
  }

  /** A process has started: it and the others greet each other, as far as nothing is cut. */
  private void greet(NodeProcess started) {
    for (Machine other : world.machines()) {
      NodeProcess process = other.process();
      if (other != started.machine() && process != null && process.isOpen()) {
        greet(started, process);
        greet(process, started);
      }
    }
  }

  private void greet(NodeProcess caller, NodeProcess called) {
    long delay = DELAY_NANOS_MIN + random.nextLong(Math.max(1, weather.delayNanosMax()));
    world
        .time()
        .after(
            delay,
            () -> {
              if (!way(caller.id(), called.id()).cut && called.isAlive()) {
                Greeting hello = caller.policy().greeting(called.id());
                called.loop().arrive(() -> called.peers().refusal(caller, hello));
              }
            });
  }

  private boolean happens(int perMille) {
    return perMille > 0 && random.nextInt(1000) < perMille;
  }

  /** Whether something that was sent before that time may still be under way. */
  boolean mayDeliverFromBefore(long nanos) {
    return isEverLate && world.time().nowNanos() <= nanos + DELAY_NANOS_MIN + LATE_NANOS_MAX;
  }

  private long delayNanos(boolean late) {
    // Not only by seconds: what is late by little meets the same leader more often.
    long most = late ? LATE_NANOS_MAX >>> random.nextInt(7) : weather.delayNanosMax();
    return DELAY_NANOS_MIN + random.nextLong(Math.max(1, most));
  }

  /** A message under way. */
  private final class Parcel {
    private final NodeProcess sender;
    private final Machine to;
    private final Cargo cargo;
    private final long number;
    private final int diskNumber;
    private final Greeting hello;
    private @Nullable Way way;
    private int connection;
    private boolean astray;

    Parcel(NodeProcess sender, Machine to, Cargo cargo, long number) {
      this.sender = sender;
      this.to = to;
      this.cargo = cargo;
      this.number = number;
      this.diskNumber = to.diskNumber();
      this.hello = sender.policy().greeting(to.id());
    }

    /** What a stranger says is not told before somebody listens to it. */
    void tellSent() {
      if (!sender.machine().isStranger()) {
        tell(cargo.sent(world.journal().now(), number));
      }
    }

    void lose(String why) {
      if (!sender.machine().isStranger()) {
        tell(cargo.lost(world.journal().now(), number, why));
      }
    }

    private void tell(SimEvent event) {
      world.journal().tell(event);
    }

    /** What is late went some other way, which no cut and no break concerns. */
    void travel(Way on) {
      astray = happens(weather.latePerMille());
      isEverLate |= astray;
      way = on;
      connection = on.connection;
      on.underWay++;
      world.time().after(delayNanos(astray), this::arrive);
    }

    private void arrive() {
      Way on = way;
      if (on == null) {
        throw new AssertionError("arrived without having travelled");
      }
      on.underWay--;
      NodeProcess receiver = to.process();
      if (on.cut && !astray) {
        lose("cut");
      } else if (on.connection != connection && !astray) {
        lose("connection broken");
      } else if (receiver == null || !receiver.isOpen()) {
        lose("receiver down");
      } else if (to.diskNumber() != diskNumber) {
        lose("receiver has another disk");
      } else {
        receiver.loop().arrive(() -> deliver(receiver));
      }
    }

    private void deliver(NodeProcess receiver) {
      String refusal = receiver.peers().refusal(sender, hello);
      if (refusal != null) {
        tell(cargo.lost(world.journal().now(), number, "refused: " + refusal));
      } else if (to.isStranger()) {
        lose("heard by a stranger");
        receiver.peers().received(cargo);
      } else {
        if (sender.machine().isStranger() && sender.isAlive()) {
          tell(cargo.sent(world.journal().now(), number));
        }
        tell(cargo.delivered(world.journal().now(), number));
        receiver.peers().received(cargo);
      }
    }
  }

  /** The transport of one process. */
  final class Endpoint implements Transport {
    private final NodeProcess process;
    private final Map<NodeId, NodeProcess> accepted = new HashMap<>();

    /** The accepted ones that were not told of which group this node is. */
    private final Set<NodeProcess> withoutAMark = new LinkedHashSet<>();

    /** Whose address is known: from the settings, from the membership, or from a hello. */
    private final Set<NodeId> reachable = new HashSet<>();

    /** By those whose connection has not ended since they said so. */
    private final Map<NodeId, Features> announced = new HashMap<>();

    private @Nullable Receiver receiver;

    private Endpoint(NodeProcess process) {
      this.process = process;
      reachable.addAll(process.machine().config().configured().members());
    }

    @Override
    public void members(Membership membership) {
      reachable.addAll(membership.addresses().keySet());
      for (NodeId member : membership.members()) {
        if (!member.equals(process.id())) {
          process.policy().admit(member);
        }
      }
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
      process.policy().whenGroupIsLearned(this::endThoseWithoutAMark);
      greet(process);
    }

    @Override
    public void send(Envelope envelope) {
      PeerNetwork.this.send(process, new Cargo.Letter(envelope));
    }

    @Override
    public void send(NodeId to, SnapshotFrame frame) {
      PeerNetwork.this.send(process, new Cargo.Frame(process.id(), to, frame));
    }

    @Override
    public @Nullable Features features(NodeId member) {
      return member.equals(process.id()) ? process.policy().features() : announced.get(member);
    }

    @Override
    public void flush() {
      // Nothing is held back.
    }

    @Override
    public void close() {
      receiver = null;
    }

    /** The hello of that process, which precedes its first message. */
    private @Nullable String refusal(NodeProcess sender, Greeting hello) {
      if (accepted.get(sender.id()) == sender) {
        announced.put(sender.id(), hello.features());
        return null;
      }
      HelloAnswer answer = process.policy().answer(hello);
      if (answer.refusal() == null) {
        announced.put(sender.id(), hello.features());
        accepted.put(sender.id(), sender);
        reachable.add(sender.id());
        if (answer.group() == GroupMark.UNKNOWN) {
          withoutAMark.add(sender);
        }
        accept(sender, answer);
      }
      return answer.refusal();
    }

    /** As the real transport: their connections end, and they greet again. */
    private void endThoseWithoutAMark() {
      for (NodeProcess caller : withoutAMark) {
        if (accepted.remove(caller.id(), caller) && caller.isAlive()) {
          way(caller.id(), process.id()).connection++;
          tellUnreachable(caller.machine(), process.id());
          tellUnreachable(process.machine(), caller.id());
          greet(caller, process);
        }
      }
      withoutAMark.clear();
    }

    private void accept(NodeProcess sender, HelloAnswer answer) {
      world
          .time()
          .after(
              delayNanos(happens(weather.latePerMille())),
              () -> {
                if (!way(process.id(), sender.id()).cut && sender.isAlive()) {
                  sender.loop().arrive(() -> sender.policy().answered(process.id(), answer));
                }
              });
    }

    private void received(Cargo cargo) {
      if (receiver != null) {
        cargo.handTo(receiver);
      }
    }

    private void unreachable(NodeId peer) {
      announced.remove(peer);
      if (receiver != null) {
        receiver.unreachable(peer);
      }
    }
  }
}
