package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.protocol.PeerMessage;
import io.kvorum.node.protocol.TimeoutNow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Connections that end and come back, in every order (FAULTS F151). */
final class ReconnectTest {
  private static final int SEED = 151;

  @AfterAll
  static void noBufferIsForgotten() {
    assertThat(Leaks.found()).isEmpty();
  }

  private static byte[] message(long term) {
    return PeerMessage.newBuilder()
        .setTerm(term)
        .setTimeoutNow(TimeoutNow.getDefaultInstance())
        .build()
        .toByteArray();
  }

  @Test
  void aKilledPeerIsNoticedOnceForEachConnectionAndReachedAgainWhenItIsBack() {
    int port1 = Peer.freePort();
    int port2 = Peer.freePort();
    Peer.Setting two = Peer.of(Peer.N2).port(port2).dials(Peer.N1, port1);
    try (Peer n1 = Peer.of(Peer.N1).port(port1).dials(Peer.N2, port2).start()) {
      for (int life = 1; life <= 3; life++) {
        try (Peer n2 = two.start()) {
          n1.reach(n2);
          n2.reach(n1);
        }
        int ends = 2 * life;
        Peer.await("both ends", () -> n1.unreachable.size() == ends);
        Peer.await("nothing is open", () -> n1.stats().connections() <= 1);
      }
      assertThat(n1.unreachable).containsOnly(Peer.N2).hasSize(6);
      assertThat(n1.stats().reconnects()).isPositive();
    }
  }

  @Test
  void theNewConnectionTakesOverBeforeTheOldOneHasEnded() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start();
        RawSocket old = RawSocket.to(n1).greet(Peer.N2, Peer.N1)) {
      old.frame(message(1));
      Peer.await("a message of the old one", () -> n1.received.size() == 1);
      try (RawSocket next = RawSocket.to(n1).greet(Peer.N2, Peer.N1)) {
        assertThat(n1.unreachable).as("told before the new one's first message").hasSize(1);
        assertThat(old.isClosedByPeer()).isTrue();
        next.frame(message(2));
        Peer.await("a message of the new one", () -> n1.received.size() == 2);
        Peer.await("one connection", () -> n1.stats().connections() == 1);
        // Whatever else comes of the old one's end, the new one stays.
        old.socket.close();
        next.frame(message(3));
        Peer.await("another one", () -> n1.received.size() == 3);
        assertThat(n1.unreachable).hasSize(1);
      }
      Peer.await("the end of the new one", () -> n1.unreachable.size() == 2);
      assertThat(n1.stats().connections()).isZero();
    }
  }

  /** The late end of the first must not make the second forgotten. */
  @Test
  void theThirdConnectionTakesOverFromTheSecond() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start();
        RawSocket first = RawSocket.to(n1).greet(Peer.N2, Peer.N1);
        RawSocket second = RawSocket.to(n1).greet(Peer.N2, Peer.N1);
        RawSocket third = RawSocket.to(n1).greet(Peer.N2, Peer.N1)) {
      assertThat(first.isClosedByPeer()).isTrue();
      assertThat(second.isClosedByPeer()).isTrue();
      third.frame(message(1));
      Peer.await("a message", () -> n1.received.size() == 1);
      assertThat(n1.unreachable).hasSize(2);
      assertThat(n1.stats().connections()).isEqualTo(1);
    }
  }

  @Test
  void aStormOfReconnectsLosesNothingOfTheLastConnection() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    int rounds = 200;
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      RawSocket current = RawSocket.to(n1).greet(Peer.N2, Peer.N1);
      for (int round = 1; round <= rounds; round++) {
        RawSocket next = replace(current, n1, random);
        current = next;
        long term = round;
        current.frame(message(term));
        Peer.await(
            "message " + term + ", seed " + SEED,
            () -> n1.received.stream().anyMatch(envelope -> envelope.term() == term));
        assertThat(n1.received).noneMatch(envelope -> envelope.term() == 1_000_000);
      }
      current.close();
      Peer.await("each end is told", () -> n1.unreachable.size() == rounds + 1);
      Peer.await("nothing is open", () -> n1.stats().connections() == 0);
    }
  }

  /** Ends the connection of n2 and opens its next one, in any order. */
  private static RawSocket replace(RawSocket old, Peer n1, SplittableRandom random)
      throws IOException {
    if (random.nextBoolean()) {
      old.socket.close();
      return RawSocket.to(n1).greet(Peer.N2, Peer.N1);
    }
    RawSocket next = RawSocket.to(n1).greet(Peer.N2, Peer.N1);
    if (random.nextBoolean()) {
      // What the old one still says must neither arrive nor end the new one.
      trySend(old, message(1_000_000));
    }
    old.socket.close();
    return next;
  }

  private static void trySend(RawSocket socket, byte[] header) {
    try {
      socket.frame(header);
    } catch (IOException closed) {
      assertThat(closed).isNotNull();
    }
  }

  @Test
  void aConnectionThatEndsAtOnceIsTriedAgainMoreAndMoreSeldom() throws IOException {
    long start = System.nanoTime();
    int ends = 6;
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start()) {
      for (int i = 1; i <= ends; i++) {
        try (RawSocket n2 = new RawSocket(server.accept())) {
          n2.welcome();
        }
        int due = i;
        Peer.await("the end is told", () -> n1.unreachable.size() == due);
      }
    }
    // At least half of 20, 40, 80, 160 and 320 ms.
    assertThat(System.nanoTime() - start).isGreaterThan(310_000_000L);
  }

  @Test
  void closeInTheMiddleOfAStorm() throws Exception {
    for (int round = 0; round < 20; round++) {
      Peer n1 = Peer.of(Peer.N1).dials(Peer.N3, Peer.freePort()).start();
      int port = n1.port();
      Thread storm = new Thread(() -> stormUntilClosed(port), "storm");
      storm.start();
      Peer.await("some messages", () -> n1.received.size() >= 3);
      n1.close();
      assertThat(n1.stats().connections()).isZero();
      storm.join(20_000);
      assertThat(storm.isAlive()).isFalse();
    }
  }

  private static void stormUntilClosed(int port) {
    boolean open = true;
    while (open) {
      try (RawSocket n2 = RawSocket.to(port)) {
        n2.greet(Peer.N2, Peer.N1).frame(message(1));
      } catch (IOException closed) {
        open = false;
      }
    }
  }
}
