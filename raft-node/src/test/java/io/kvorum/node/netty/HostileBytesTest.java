package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.protocol.AppendEntries;
import io.kvorum.node.protocol.PeerMessage;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** FAULTS F168: bad bytes end a connection, are counted, and cost no memory. */
final class HostileBytesTest {
  private static final int SEED = 4711;

  @AfterAll
  static void noBufferIsForgotten() {
    assertThat(Leaks.found()).isEmpty();
  }

  private static byte[] lengths(int length, int headerLength) {
    return ByteBuffer.allocate(8)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .putInt(headerLength)
        .array();
  }

  private static Map<String, byte[]> attacks() throws IOException {
    byte[] random = new byte[64 << 10];
    new SplittableRandom(SEED).nextBytes(random);
    ByteArrayOutputStream object = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(object)) {
      out.writeObject(new ArrayList<>(List.of("gadget")));
    }
    Map<String, byte[]> attacks = new LinkedHashMap<>();
    attacks.put("random bytes, seed " + SEED, random);
    attacks.put("a serialized object", object.toByteArray());
    attacks.put("HTTP", RawSocket.ascii("GET / HTTP/1.1\r\nHost: kvorum\r\n\r\n"));
    attacks.put("a length of 2 GiB", lengths(Integer.MAX_VALUE, 4));
    attacks.put("a length of 4 GiB", lengths(-1, 4));
    attacks.put("a length of nothing", lengths(0, 0));
    attacks.put("a header longer than its frame", lengths(100, 97));
    attacks.put("a header of 4 GiB", lengths(100, -1));
    return attacks;
  }

  @Test
  void beforeTheHello() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      long counted = 0;
      for (Map.Entry<String, byte[]> attack : attacks().entrySet()) {
        try (RawSocket socket = RawSocket.to(n1)) {
          writeAsMuchAsItTakes(socket, attack.getValue());
          assertThat(socket.isClosedByPeer()).as(attack.getKey()).isTrue();
        }
        long due = ++counted;
        Peer.await("a count of " + attack.getKey(), () -> n1.stats().badBytes() == due);
      }
      assertStillServes(n1);
    }
  }

  @Test
  void afterTheHello() throws IOException {
    Map<String, byte[]> attacks = attacks();
    byte[] append =
        PeerMessage.newBuilder()
            .setAppendEntries(AppendEntries.newBuilder().setEntries(1))
            .build()
            .toByteArray();
    attacks.put("records that are none", RawSocket.frame(append, new byte[4_000]));
    attacks.put("no protobuf", RawSocket.frame(RawSocket.ascii("nonsense"), new byte[0]));
    attacks.put("a frame just too large", lengths(TransportOptions.DEFAULT.frameBytesMax() + 1, 4));
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      long counted = 0;
      for (Map.Entry<String, byte[]> attack : attacks.entrySet()) {
        try (RawSocket socket = RawSocket.to(n1).greet(Peer.N2, Peer.N1)) {
          writeAsMuchAsItTakes(socket, attack.getValue());
          assertThat(socket.isClosedByPeer()).as(attack.getKey()).isTrue();
        }
        long due = ++counted;
        Peer.await("a count of " + attack.getKey(), () -> n1.stats().badBytes() == due);
      }
      Peer.await("their ends", () -> n1.unreachable.size() == attacks.size());
      assertThat(n1.received).isEmpty();
      assertStillServes(n1);
    }
  }

  /** The other side may close before all is written; that is what it should do. */
  private static void writeAsMuchAsItTakes(RawSocket socket, byte[] bytes) {
    try {
      socket.write(bytes);
    } catch (IOException closed) {
      assertThat(closed).hasMessageMatching("(?s).*(reset|closed|Broken pipe).*");
    }
  }

  @Test
  void halfAFrameAndThenTheEnd() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      for (int bytes = 1; bytes < 40; bytes += 3) {
        byte[] hello =
            RawSocket.frame(RawSocket.hello(Peer.N2, Peer.N1).build().toByteArray(), new byte[0]);
        try (RawSocket socket = RawSocket.to(n1)) {
          socket.write(java.util.Arrays.copyOf(hello, Math.min(bytes, hello.length - 1)));
        }
        try (RawSocket socket = RawSocket.to(n1).greet(Peer.N2, Peer.N1)) {
          socket.write(java.util.Arrays.copyOf(lengths(1_000, 10), Math.min(bytes, 8)));
        }
      }
      Peer.await("all are gone", () -> n1.stats().connections() == 0);
      assertThat(n1.received).isEmpty();
      assertThat(n1.stats().badBytes()).as("a connection may end at any time").isZero();
      assertStillServes(n1);
    }
  }

  /** What a length announces is not allocated; only what has come is held. */
  @Test
  void announcedBytesCostNothing() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
      try (RawSocket n2 = RawSocket.to(n1).greet(Peer.N2, Peer.N1);
          RawSocket n3 = RawSocket.to(n1).greet(Peer.N3, Peer.N1)) {
        for (RawSocket socket : List.of(n2, n3)) {
          socket.write(lengths(TransportOptions.DEFAULT.frameBytesMax(), 10)).write(new byte[100]);
        }
        assertStillServesOthers(n1);
        assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() - before)
            .isLessThan(256 << 10);
      }
    }
  }

  @Test
  void whoeverNeverSaysHelloIsSentAway() throws IOException {
    TransportOptions options = TransportOptions.DEFAULT.withHelloTimeout(Duration.ofMillis(100));
    try (Peer n1 = Peer.of(Peer.N1).options(options).start();
        RawSocket silent = RawSocket.to(n1);
        RawSocket slow = RawSocket.to(n1)) {
      slow.write(new byte[] {40, 0, 0});
      assertThat(silent.isClosedByPeer()).isTrue();
      assertThat(slow.isClosedByPeer()).isTrue();
      Peer.await("both are counted", () -> n1.stats().refused() == 2);
      try (RawSocket n2 = RawSocket.to(n1).greet(Peer.N2, Peer.N1)) {
        n2.socket.setSoTimeout(300);
        assertThat(n2.isClosedByPeer()).as("the limit is for the hello only").isFalse();
      }
    }
  }

  @Test
  void aThousandIdleConnectionsAreHeldForAWhileAndCostLittle() throws IOException {
    TransportOptions options = TransportOptions.DEFAULT.withHelloTimeout(Duration.ofSeconds(3));
    long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
    List<RawSocket> idle = new ArrayList<>();
    try (Peer n1 = Peer.of(Peer.N1).options(options).start()) {
      for (int i = 0; i < 1_000; i++) {
        idle.add(RawSocket.to(n1));
      }
      assertStillServes(n1);
      assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() - before).isLessThan(4 << 20);
      for (RawSocket socket : idle) {
        assertThat(socket.isClosedByPeer()).isTrue();
      }
      Peer.await("all are counted", () -> n1.stats().refused() == 1_000);
      Peer.await("all are gone", () -> n1.stats().connections() == 0);
    } finally {
      for (RawSocket socket : idle) {
        socket.close();
      }
    }
  }

  /** The place of a peer is not taken by those who only connect. */
  @Test
  void whenAllPlacesAreTakenTheOldestWithoutAHelloGoes() throws IOException {
    TransportOptions options =
        TransportOptions.DEFAULT.withAcceptedMax(8).withHelloTimeout(Duration.ofMinutes(1));
    List<RawSocket> idle = new ArrayList<>();
    try (Peer n1 = Peer.of(Peer.N1).options(options).start();
        RawSocket n3 = RawSocket.to(n1).greet(Peer.N3, Peer.N1)) {
      for (int i = 0; i < 50; i++) {
        idle.add(RawSocket.to(n1));
      }
      Peer.await("43 have gone", () -> n1.stats().refused() == 43);
      assertThat(n1.stats().connections()).isEqualTo(8);
      assertThat(idle.get(0).isClosedByPeer()).isTrue();
      assertStillServes(n1);
      n3.frame(
          PeerMessage.newBuilder()
              .setAppendEntries(AppendEntries.getDefaultInstance())
              .build()
              .toByteArray());
      Peer.await(
          "n3 was kept",
          () ->
              n1.received.stream().anyMatch(e -> e.from() == Peer.N3 || e.from().equals(Peer.N3)));
    } finally {
      for (RawSocket socket : idle) {
        socket.close();
      }
    }
  }

  private static void assertStillServes(Peer n1) {
    try (Peer n2 = Peer.of(Peer.N2).dials(Peer.N1, n1.port()).start()) {
      n2.reach(n1);
    }
  }

  /** Without taking the way of a member. */
  private static void assertStillServesOthers(Peer n1) throws IOException {
    try (RawSocket stranger = RawSocket.to(n1)) {
      stranger.frame(RawSocket.hello(Peer.N2, Peer.N3).build().toByteArray());
      assertThat(stranger.answer().getRefusal()).startsWith("wrong addressee");
    }
  }
}
