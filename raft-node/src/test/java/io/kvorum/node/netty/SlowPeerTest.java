package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Entry;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A peer that accepts the connection and then does not read (FAULTS F149, F153). */
final class SlowPeerTest {
  private static final int ENTRY_BYTES = 64 << 10;
  private static final int FRAMES = 3_000;

  @AfterAll
  static void noBufferIsForgotten() {
    assertThat(Leaks.found()).isEmpty();
  }

  @Test
  void aPeerThatNeverReadsCostsBoundedMemoryAndNoOneElseAnything() throws IOException {
    int port3 = Peer.freePort();
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n3 = Peer.of(Peer.N3).port(port3).start();
        Peer n1 =
            Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).dials(Peer.N3, port3).start();
        RawSocket n2 = new RawSocket(server.accept())) {
      n2.welcome();
      n1.reach(n3);
      long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
      Worst worst = new Worst();
      floodWithEntries(n1, worst);

      int limit = TransportOptions.DEFAULT.queueBytesMax();
      assertThat(worst.waitingBytes).isBetween(limit / 2L, limit + 2L * ENTRY_BYTES);
      assertThat(worst.pinnedBytes - before).isLessThan(limit + (4 << 20));
      long dropped = n1.stats().dropped();
      assertThat(dropped).isGreaterThan(FRAMES / 2);

      // Heartbeats and answers still find a place in the queue, which bulk has filled.
      for (int i = 0; i < 100; i++) {
        n1.send(Peer.N2, 1, Peer.heartbeat(i), new Message.RequestVoteResponse(true, false));
      }
      assertThat(n1.stats().dropped()).isEqualTo(dropped);
      assertSmallMessagesAreBoundedToo(n1, worst, before);

      int received = n3.received.size();
      n1.send(Peer.N3, 1, Peer.append(0, Peer.entry(1, ENTRY_BYTES)));
      Peer.await("n3 gets its own", () -> n3.received.size() == received + 1);
      assertRecovers(n1, n2);
    }
  }

  private static final class Worst {
    long waitingBytes;
    long pinnedBytes;

    void see(Peer n1) {
      waitingBytes = Math.max(waitingBytes, n1.transport.waitingBytes(Peer.N2));
      pinnedBytes = Math.max(pinnedBytes, PooledByteBufAllocator.DEFAULT.pinnedDirectMemory());
    }
  }

  /** About 190 MiB, a new entry in each turn of the loop. */
  private static void floodWithEntries(Peer n1, Worst worst) {
    for (int i = 0; i < FRAMES; i++) {
      n1.onLoop(
          () -> {
            Entry entry = Peer.entry(1, ENTRY_BYTES);
            n1.transport.send(new Envelope(Peer.N1, Peer.N2, 1, Peer.append(0, entry)));
            n1.transport.flush();
            worst.see(n1);
          });
    }
  }

  private static void assertSmallMessagesAreBoundedToo(Peer n1, Worst worst, long before) {
    long dropped = n1.stats().dropped();
    for (int turn = 0; turn < 100; turn++) {
      Message[] heartbeats = new Message[100];
      java.util.Arrays.fill(heartbeats, Peer.heartbeat(turn));
      n1.send(Peer.N2, 1, heartbeats);
      n1.onLoop(() -> worst.see(n1));
    }
    assertThat(n1.stats().dropped()).isGreaterThan(dropped);
    assertThat(worst.pinnedBytes - before)
        .isLessThan(TransportOptions.DEFAULT.queueBytesMax() + (6 << 20));
  }

  /** It reads again: what waited comes whole, then what is sent from now on. */
  private static void assertRecovers(Peer n1, RawSocket n2) throws IOException {
    Thread reader = new Thread(() -> readAll(n2), "reader");
    reader.setDaemon(true);
    reader.start();
    Peer.await(
        "the queue is empty", () -> n1.onLoop(() -> n1.transport.waitingBytes(Peer.N2)) == 0);
    long sent = n1.stats().sent();
    long dropped = n1.stats().dropped();
    n1.send(Peer.N2, 1, Peer.append(0, Peer.entry(1, ENTRY_BYTES)));
    Peer.await("an entry is sent", () -> n1.stats().sent() == sent + 1);
    assertThat(n1.stats().dropped()).isEqualTo(dropped);
    assertThat(n1.unreachable).as("the connection was kept").isEmpty();
  }

  private static void readAll(RawSocket n2) {
    try {
      while (n2.read().length > 0) {
        // Each frame has a header, so this goes on until the connection ends.
        Thread.onSpinWait();
      }
    } catch (IOException ended) {
      assertThat(ended).isNotNull();
    }
  }

  @Test
  void toANodeThatIsNotThereEverythingIsDropped() {
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, Peer.freePort()).start()) {
      for (int i = 0; i < 100; i++) {
        n1.send(Peer.N2, 1, Peer.append(0, Peer.entry(1, ENTRY_BYTES)), Peer.heartbeat(1));
      }
      Peer.await("all are dropped", () -> n1.stats().dropped() == 200);
      assertThat(n1.<Long>onLoop(n1.transport::encodings)).isLessThan(100);
    }
  }

  /** The number of messages is limited as well as their bytes. */
  @Test
  void smallMessagesHaveFourTimesTheRoom() throws IOException {
    TransportOptions options = TransportOptions.DEFAULT.withQueueMessagesMax(10);
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).options(options).start();
        RawSocket n2 = new RawSocket(server.accept())) {
      n2.hello();
      for (int i = 0; i < 20; i++) {
        n1.send(Peer.N2, 1, Peer.append(0, Peer.entry(1, 10)));
      }
      assertThat(n1.stats().dropped()).isEqualTo(10);
      for (int i = 0; i < 50; i++) {
        n1.send(Peer.N2, 1, Peer.heartbeat(i));
      }
      assertThat(n1.stats().dropped()).isEqualTo(10 + 20);
      n2.accept();
      Peer.await("the others are sent", () -> n1.stats().sent() == 40);
    }
  }
}
