package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.node.SnapshotFrame;
import io.kvorum.raft.Entry;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.Message;
import io.kvorum.raft.SnapshotMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NettyTransportTest {
  @AfterAll
  static void noBufferIsForgotten() {
    assertThat(Leaks.found()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allMessagesArriveInOrder(boolean nio) {
    int port = Peer.freePort();
    Peer.Setting one = Peer.of(Peer.N1).dials(Peer.N2, port);
    Peer.Setting two = Peer.of(Peer.N2).port(port);
    try (Peer n1 = (nio ? one.nio() : one).start();
        Peer n2 = (nio ? two.nio() : two).start()) {
      n1.reach(n2);
      int before = n2.received.size();
      int turns = 50;
      int eachTurn = 40;
      for (int turn = 0; turn < turns; turn++) {
        Message[] messages = new Message[eachTurn];
        for (int i = 0; i < eachTurn; i++) {
          int index = turn * eachTurn + i;
          messages[i] =
              i % 2 == 0
                  ? Peer.append(index, Peer.entry(index + 1, 17 * i))
                  : Peer.heartbeat(index);
        }
        n1.send(Peer.N2, 7, messages);
        int due = before + (turn + 1) * eachTurn;
        Peer.await(due + " messages", () -> n2.received.size() == due);
      }
      for (int index = 0; index < turns * eachTurn; index++) {
        Envelope envelope = n2.received.get(before + index);
        assertThat(envelope.from()).isEqualTo(Peer.N1);
        assertThat(envelope.to()).isEqualTo(Peer.N2);
        assertThat(envelope.term()).isEqualTo(7);
        Message.AppendEntries append = (Message.AppendEntries) envelope.message();
        if (index % 2 == 0) {
          assertThat(append.prev().index()).isEqualTo(index);
          assertThat(append.entries().get(0).payload())
              .isEqualTo(Peer.entry(index + 1, 17 * (index % eachTurn)).payload());
        } else {
          assertThat(append.round()).isEqualTo(index);
        }
      }
      assertThat(n1.stats().sent()).isEqualTo(n2.stats().received());
    }
  }

  /** Queued while the connection was being made, they go as soon as the hello is accepted. */
  @Test
  void whatIsQueuedBeforeTheHelloIsAnsweredArrivesAfterIt() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start();
        RawSocket n2 = new RawSocket(server.accept())) {
      n2.hello();
      n1.send(Peer.N2, 3, Peer.heartbeat(1), Peer.append(0, Peer.entry(1, 100)));
      assertThat(n1.stats().sent()).isZero();
      assertThat(n2.socket.getInputStream().available()).isZero();
      n2.accept();
      assertThat(n2.read()).isNotEmpty();
      assertThat(n2.read()).isNotEmpty();
      Peer.await("both count as sent", () -> n1.stats().sent() == 2);
      assertThat(n1.stats().dropped()).isZero();
    }
  }

  @Test
  void entriesForSeveralFollowersAreEncodedOnce() {
    int port2 = Peer.freePort();
    int port3 = Peer.freePort();
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, port2).dials(Peer.N3, port3).start();
        Peer n2 = Peer.of(Peer.N2).port(port2).start();
        Peer n3 = Peer.of(Peer.N3).port(port3).start()) {
      n1.reach(n2);
      n1.reach(n3);
      Entry first = Peer.entry(1, 1_000);
      Entry second = Peer.entry(2, 10);
      int before2 = n2.received.size();
      int before3 = n3.received.size();
      n1.onLoop(
          () -> {
            // Lists that are equal but not the same, as the core may hand them out.
            for (var to : List.of(Peer.N2, Peer.N3)) {
              n1.transport.send(new Envelope(Peer.N1, to, 1, Peer.append(0, first, second)));
            }
            n1.transport.send(new Envelope(Peer.N1, Peer.N2, 1, Peer.append(1, second)));
            n1.transport.flush();
          });
      assertThat(n1.<Long>onLoop(n1.transport::encodings)).isEqualTo(2);
      Peer.await("n2 has both", () -> n2.received.size() == before2 + 2);
      Peer.await("n3 has one", () -> n3.received.size() == before3 + 1);
      for (Envelope envelope : List.of(n2.received.get(before2), n3.received.get(before3))) {
        List<Entry> entries = PeerCodec.entries(envelope.message());
        assertThat(entries).hasSize(2);
        assertThat(entries.get(0).payload()).isEqualTo(first.payload());
        assertThat(entries.get(1).payload()).isEqualTo(second.payload());
      }
    }
  }

  @Test
  void anEntryOfFourMebibytesArrives() {
    int port = Peer.freePort();
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, port).start();
        Peer n2 = Peer.of(Peer.N2).port(port).start()) {
      n1.reach(n2);
      int before = n2.received.size();
      Entry large = Peer.entry(1, 4 << 20);
      n1.send(Peer.N2, 1, Peer.append(0, large), Peer.heartbeat(5));
      Peer.await("the entry and a heartbeat", () -> n2.received.size() == before + 2);
      Envelope envelope = n2.received.get(before);
      assertThat(PeerCodec.entries(envelope.message()).get(0).payload()).isEqualTo(large.payload());
    }
  }

  @Test
  void whatCannotTravelIsCountedAndTheRestGoesOn() {
    int port = Peer.freePort();
    TransportOptions options = TransportOptions.DEFAULT.withFrameBytesMax(64 << 10);
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, port).options(options).start();
        Peer n2 = Peer.of(Peer.N2).port(port).options(options).start()) {
      n1.reach(n2);
      int before = n2.received.size();
      SnapshotMeta snapshot = SnapshotMeta.initial(Membership.of(Set.of(Peer.N1)));
      n1.send(Peer.N2, 1, new Message.InstallSnapshot(snapshot));
      n1.send(Peer.N3, 1, Peer.heartbeat(1));
      n1.send(Peer.N2, 1, Peer.append(0, Peer.entry(1, 64 << 10)));
      n1.send(Peer.N2, 1, Peer.append(0, Peer.entry(1, 60 << 10)));
      Peer.await("the one that fits", () -> n2.received.size() == before + 1);
      assertThat(n1.stats().unsendable()).isEqualTo(3);
      assertThat(n2.stats().badBytes()).isZero();
    }
  }

  /** An address is looked up for each attempt, off the loop. */
  @Test
  void hostNamesAreLookedUp() {
    int port = Peer.freePort();
    try (Peer n1 =
            Peer.of(Peer.N1)
                .dials(Peer.N2, "localhost", port)
                .dials(Peer.N3, "nowhere.invalid", port)
                .start();
        Peer n2 = Peer.of(Peer.N2).port(port).start()) {
      n1.reach(n2);
      long before = n1.stats().reconnects();
      Peer.await("another attempt for n3", () -> n1.stats().reconnects() > before);
    }
    Peer.await("no thread is left", () -> threads().isEmpty());
  }

  @Test
  void aPortInUseIsNamedBeforeAnythingElseIsDone() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        ServerSocket target = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 =
            Peer.of(Peer.N1)
                .port(server.getLocalPort())
                .dials(Peer.N2, target.getLocalPort())
                .make()) {
      long before = sockets();
      assertThatThrownBy(() -> n1.transport.start(n1))
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(BindException.class)
          .hasMessageContaining("cannot listen on")
          .hasMessageContaining(":" + server.getLocalPort())
          .hasMessageContaining("in use");
      assertThat(n1.stats()).isEqualTo(new TransportStats(0, 0, 0, 0, 0, 0, 0, 0));
      assertThatThrownBy(n1.transport::boundPort).isInstanceOf(InvariantViolation.class);
      assertThat(sockets()).isEqualTo(before);
      n1.transport.close();
      n1.transport.close();
    }
  }

  @Test
  void itBelongsToItsLoopAndStartsOnce() {
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, Peer.freePort()).start()) {
      Envelope heartbeat = new Envelope(Peer.N1, Peer.N2, 1, Peer.heartbeat(1));
      assertThatThrownBy(() -> n1.transport.send(heartbeat)).isInstanceOf(InvariantViolation.class);
      assertThatThrownBy(() -> n1.transport.start(n1)).isInstanceOf(InvariantViolation.class);
      Envelope forged = new Envelope(Peer.N3, Peer.N2, 1, Peer.heartbeat(1));
      assertThatThrownBy(() -> n1.onLoop(() -> n1.transport.send(forged)))
          .hasCauseInstanceOf(InvariantViolation.class);
    }
  }

  @Test
  void aTransportThatNeverStartedCloses() {
    try (Peer n1 = Peer.of(Peer.N1).make()) {
      n1.transport.close();
      n1.transport.close();
      n1.onLoop(() -> n1.transport.send(new Envelope(Peer.N1, Peer.N2, 1, Peer.heartbeat(1))));
      assertThat(n1.stats().dropped()).isEqualTo(1);
    }
  }

  /** FAULTS F160: what a receiver throws is not swallowed, and is not taken for bad bytes. */
  @Test
  void whatTheReceiverThrowsReachesTheOwnerOfTheLoop() {
    int port = Peer.freePort();
    Peer n2 = Peer.of(Peer.N2).port(port).make();
    AssertionError bug = new AssertionError("a bug of the receiver");
    n2.transport.start(
        new io.kvorum.node.Transport.Receiver() {
          @Override
          public void received(Envelope envelope) {
            throw bug;
          }

          @Override
          public void received(io.kvorum.raft.NodeId from, SnapshotFrame frame) {}

          @Override
          public void unreachable(io.kvorum.raft.NodeId peer) {}
        });
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, port).start()) {
      Peer.await(
          "the failure is told",
          () -> {
            n1.send(Peer.N2, 1, Peer.heartbeat(1));
            return !n2.failures.isEmpty();
          });
      assertThat(n2.failures).contains(bug);
      assertThat(n2.stats().badBytes()).isZero();
    } finally {
      n2.failures.clear();
      n2.transport.close();
      n2.loop.close();
    }
  }

  @Test
  void closeInTheMiddleOfTrafficLosesNothingButMessages() {
    for (int round = 0; round < 10; round++) {
      int port1 = Peer.freePort();
      int port2 = Peer.freePort();
      Peer n2 = Peer.of(Peer.N2).port(port2).dials(Peer.N1, port1).start();
      try (Peer n1 = Peer.of(Peer.N1).port(port1).dials(Peer.N2, port2).start()) {
        n1.reach(n2);
        n2.reach(n1);
        Traffic.start(n1, Peer.N2);
        Traffic.start(n2, Peer.N1);
        int before = n1.received.size();
        Peer.await("traffic", () -> n1.received.size() > before + 50);
        n2.close();
        int received = n2.received.size();
        Peer.await("the end is noticed", () -> n1.unreachable.size() == 2);
        assertThat(n2.received).as("nothing arrives after close").hasSize(received);
        assertThat(n2.unreachable).as("its own close is no news").isEmpty();
        assertThat(n2.stats().connections()).isZero();
      } finally {
        n2.close();
      }
    }
  }

  /** FAULTS F161: a node that comes and goes leaves nothing behind. */
  @Test
  void fiftyRoundsLeaveNoThreadAndNoFileHandle() throws IOException {
    openAndClose();
    long handles = fileHandles();
    for (int round = 0; round < 50; round++) {
      openAndClose();
    }
    assertThat(threads()).isEmpty();
    // The JDK itself may open a few, for example to load a class.
    assertThat(fileHandles()).isLessThanOrEqualTo(handles + 3);
  }

  private static void openAndClose() {
    int port1 = Peer.freePort();
    int port2 = Peer.freePort();
    try (Peer n1 = Peer.of(Peer.N1).port(port1).dials(Peer.N2, port2).start();
        Peer n2 = Peer.of(Peer.N2).port(port2).dials(Peer.N1, port1).start()) {
      n1.reach(n2);
    }
  }

  private static long fileHandles() throws IOException {
    try (Stream<Path> handles = Files.list(Path.of("/proc/self/fd"))) {
      return handles.count();
    }
  }

  private static long sockets() throws IOException {
    try (Stream<Path> handles = Files.list(Path.of("/proc/self/fd"))) {
      return handles.filter(NettyTransportTest::isSocket).count();
    }
  }

  private static boolean isSocket(Path handle) {
    try {
      return Files.readSymbolicLink(handle).toString().startsWith("socket:");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  private static List<String> threads() {
    List<String> names = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("kvorum-")) {
        names.add(thread.getName());
      }
    }
    return names;
  }

  /** Sends in every turn of a loop, until the loop ends. */
  private record Traffic(Peer from, io.kvorum.raft.NodeId to) implements Runnable {
    static void start(Peer from, io.kvorum.raft.NodeId to) {
      from.loop.lane().execute(new Traffic(from, to));
    }

    @Override
    public void run() {
      Entry entry = Peer.entry(1, 10_000);
      from.transport.send(new Envelope(from.self, to, 1, Peer.append(0, entry)));
      from.transport.send(new Envelope(from.self, to, 1, Peer.heartbeat(1)));
      from.transport.flush();
      from.loop.lane().execute(this);
    }
  }
}
