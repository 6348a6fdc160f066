package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.Feature;
import io.kvorum.node.Features;
import io.kvorum.node.protocol.PeerHello;
import io.kvorum.node.protocol.PeerMessage;
import io.kvorum.node.protocol.TimeoutNow;
import io.kvorum.raft.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** FAULTS F152: a message of another cluster, or for another member, changes nothing here. */
final class HelloTest {
  @AfterAll
  static void noBufferIsForgotten() {
    assertThat(Leaks.found()).isEmpty();
  }

  @Test
  void twoClustersThatKnowEachOthersAddressesDoNotTalk() {
    int port1 = Peer.freePort();
    int port2 = Peer.freePort();
    try (Peer n1 = Peer.of(Peer.N1).port(port1).dials(Peer.N2, port2).start();
        Peer n2 = Peer.of(Peer.N2).cluster("c2").port(port2).dials(Peer.N1, port1).start()) {
      Peer.await(
          "both refuse and are refused",
          () -> {
            n1.send(Peer.N2, 1, Peer.heartbeat(1));
            n2.send(Peer.N1, 1, Peer.heartbeat(1));
            return n1.stats().refused() >= 4 && n2.stats().refused() >= 4;
          });
      assertThat(n1.received).isEmpty();
      assertThat(n2.received).isEmpty();
      assertThat(n1.stats().sent()).isZero();
      assertThat(n1.unreachable).as("it never was reachable").isEmpty();
    }
  }

  @Test
  void eachRefusalNamesBothSides() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setClusterId("other")))
          .isEqualTo("wrong cluster: n2 belongs to cluster other, but n1 to cluster c1");
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N3)))
          .isEqualTo("wrong addressee: n2 looks for n3, but this is n1");
      assertThat(refusal(n1, RawSocket.hello(new NodeId("n9"), Peer.N1)))
          .isEqualTo("unknown member n9: n1 knows [n2, n3]");
      assertThat(refusal(n1, RawSocket.hello(Peer.N1, Peer.N1))).startsWith("unknown member n1");
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setProtocolVersion(2)))
          .isEqualTo("protocol version 2 is not spoken here, only version 1");
      assertThat(n1.stats().refused()).isEqualTo(5);
      assertThat(n1.stats().badBytes()).isZero();
    }
  }

  /**
   * A node whose disk was replaced has forgotten its votes; its name alone does not bring it in.
   */
  @Test
  void theFirstIncarnationUnderANameIsTheOnlyOne() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).start()) {
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setIncarnation(0xa))).isEmpty();
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setIncarnation(0xb)))
          .startsWith(
              "wrong incarnation: n2 came with data directory 000000000000000b,"
                  + " but was first met with 000000000000000a");
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setIncarnation(0xa))).isEmpty();
      // One that was refused for another reason was not met.
      assertThat(refusal(n1, RawSocket.hello(Peer.N3, Peer.N2).setIncarnation(0xc))).isNotEmpty();
      assertThat(refusal(n1, RawSocket.hello(Peer.N3, Peer.N1).setIncarnation(0xd))).isEmpty();
    }
  }

  /** FAULTS F165: it would stop at what the group has in its log. */
  @Test
  void whoLacksWhatTheGroupUsesIsRefusedAndSentNothing() throws IOException {
    Features old = Features.of(Feature.SNAPSHOTS);
    int port1 = Peer.freePort();
    int port2 = Peer.freePort();
    Peer.Setting newer = Peer.of(Peer.N1).features(Features.ALL, Features.ALL);
    try (Peer n1 = newer.port(port1).dials(Peer.N2, port2).start();
        Peer n2 =
            Peer.of(Peer.N2)
                .features(old, Features.NONE)
                .port(port2)
                .dials(Peer.N1, port1)
                .start()) {
      String why =
          "the version of n2 lacks what the group uses: state-checks, disk-space, quota (it has:"
              + " snapshots). It would stop at the entries that use it: update n2";
      PeerHello.Builder hello = RawSocket.hello(Peer.N2, Peer.N1);
      assertThat(refusal(n1, hello.clone().setFeatures(old.bits()))).isEqualTo(why);
      // One that does not say it in its hello is judged by its answer.
      assertThat(refusal(n1, hello.clone())).isEmpty();
      Peer.await("n1 wants nothing of n2", () -> n1.stats().refused() >= 4);
      n1.send(Peer.N2, 1, Peer.heartbeat(1));
      assertThat(n1.stats().sent()).isZero();
      assertThat(n2.received).isEmpty();
      assertThat(n1.onLoop(() -> String.valueOf(n1.transport.features(Peer.N2)))).isEqualTo("null");
    }
  }

  @Test
  void whatAMemberHasIsKnownWhileItIsConnected() {
    Features old = Features.of(Feature.SNAPSHOTS);
    int port2 = Peer.freePort();
    try (Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, port2).start()) {
      assertThat(announced(n1, Peer.N1)).isEqualTo(Features.ALL.toString());
      assertThat(announced(n1, Peer.N2)).isEqualTo("null");
      try (Peer n2 = Peer.of(Peer.N2).features(old, Features.NONE).port(port2).start()) {
        n1.reach(n2);
        assertThat(announced(n1, Peer.N2)).isEqualTo("snapshots");
        assertThat(announced(n1, Peer.N3)).isEqualTo("null");
      }
      Peer.await("n2 is gone", () -> announced(n1, Peer.N2).equals("null"));
      try (Peer n2 = Peer.of(Peer.N2).port(port2).start()) {
        n1.reach(n2);
        assertThat(announced(n1, Peer.N2)).isEqualTo(Features.ALL.toString());
      }
    }
  }

  private static String announced(Peer asked, NodeId of) {
    return asked.onLoop(() -> String.valueOf(asked.transport.features(of)));
  }

  /**
   * All others were replaced while n1 was away: whoever leads now is a stranger to it. The
   * simulator found that such a node stayed away for ever.
   */
  @Test
  void aStrangerOfTheSameGroupIsLetInAndAnsweredWhereItSaysItIs() throws IOException {
    NodeId n9 = new NodeId("n9");
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).group(5).start();
        RawSocket caller = RawSocket.to(n1)) {
      String address = Integer.toString(server.getLocalPort());
      PeerHello.Builder hello = RawSocket.hello(n9, Peer.N1).setGroup(5).setAddress(address);
      var answer = caller.frame(hello.build().toByteArray()).answer();
      assertThat(answer.getRefusal()).isEmpty();
      assertThat(answer.getGroup()).isEqualTo(5);
      try (RawSocket back = new RawSocket(server.accept())) {
        PeerHello called = back.hello();
        assertThat(called.getTo()).isEqualTo("n9");
        assertThat(called.getGroup()).isEqualTo(5);
      }
      assertThat(refusal(n1, hello.clone().setIncarnation(1))).startsWith("wrong incarnation");
    }
  }

  @Test
  void anAddressThatAHelloGivesCountsOnlyWhereNobodyElseGivesOne() throws IOException {
    try (ServerSocket configured = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        ServerSocket claimed = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, configured.getLocalPort()).start()) {
      PeerHello.Builder hello = RawSocket.hello(Peer.N2, Peer.N1);
      String address = Integer.toString(claimed.getLocalPort());
      assertThat(refusal(n1, hello.clone().setAddress(address))).isEmpty();
      try (RawSocket n2 = new RawSocket(configured.accept())) {
        n2.welcome();
      }
      // N3 has no address: it is where it says, also when it moves.
      PeerHello.Builder lost = RawSocket.hello(Peer.N3, Peer.N1);
      assertThat(refusal(n1, lost.clone().setAddress("1"))).isEmpty();
      assertThat(refusal(n1, lost.clone().setAddress(address))).isEmpty();
      try (RawSocket n3 = new RawSocket(claimed.accept())) {
        assertThat(n3.hello().getTo()).isEqualTo("n3");
      }
    }
  }

  /** It may be one whose disk was replaced, called by those who have never met the voter it was. */
  @Test
  void aNodeThatNobodyHasAcceptedYetFollowsNoStranger() throws IOException {
    NodeId n9 = new NodeId("n9");
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start()) {
      PeerHello.Builder stranger = RawSocket.hello(n9, Peer.N1).setGroup(5);
      assertThat(refusal(n1, stranger.clone())).startsWith("unknown member n9");
      try (RawSocket n2 = new RawSocket(server.accept())) {
        n2.hello();
        n2.answer("not today", 5);
      }
      assertThat(refusal(n1, stranger.clone())).startsWith("unknown member n9");
      try (RawSocket n2 = new RawSocket(server.accept())) {
        n2.hello();
        n2.answer("", 5);
        Peer.await("n2's word counts", () -> accepts(n1, stranger.clone()));
      }
    }
  }

  /**
   * Else it would not be confirmed for as long as its connection lasts. The simulator found a
   * founder that let its new leader not in, since all it had called had still been joining.
   */
  @Test
  void whoWasAcceptedBeforeTheGroupWasKnownIsToldOfIt() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start();
        RawSocket early = RawSocket.to(n1)) {
      PeerHello.Builder hello = RawSocket.hello(Peer.N3, Peer.N1);
      assertThat(early.frame(hello.build().toByteArray()).answer().getGroup()).isZero();
      try (RawSocket n2 = new RawSocket(server.accept())) {
        n2.hello();
        n2.answer("", 5);
        assertThat(early.isClosedByPeer()).isTrue();
      }
      try (RawSocket again = RawSocket.to(n1)) {
        assertThat(again.frame(hello.build().toByteArray()).answer().getGroup()).isEqualTo(5);
      }
      Peer.await("the end of the first is told", () -> n1.unreachable.contains(Peer.N3));
    }
  }

  private static boolean accepts(Peer peer, PeerHello.Builder hello) {
    try {
      return refusal(peer, hello).isEmpty();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Members that were set up differently form no group, even if they name each other. */
  @Test
  void groupsThatBeganWithOtherMembersDoNotTalk() throws IOException {
    try (Peer n1 = Peer.of(Peer.N1).group(5).start()) {
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setGroup(6)))
          .startsWith("wrong group: n2 and n1 call themselves cluster c1");
      assertThat(refusal(n1, RawSocket.hello(Peer.N2, Peer.N1).setGroup(5))).isEmpty();
    }
  }

  private static String refusal(Peer peer, PeerHello.Builder hello) throws IOException {
    try (RawSocket socket = RawSocket.to(peer)) {
      String refusal = socket.frame(hello.build().toByteArray()).answer().getRefusal();
      if (!refusal.isEmpty()) {
        assertThat(socket.isClosedByPeer()).isTrue();
      }
      return refusal;
    }
  }

  @Test
  void whatFollowsARefusedHelloIsNotDelivered() throws IOException {
    byte[] message =
        PeerMessage.newBuilder()
            .setTerm(9)
            .setTimeoutNow(TimeoutNow.getDefaultInstance())
            .build()
            .toByteArray();
    byte[] frame = RawSocket.frame(message, new byte[0]);
    try (Peer n1 = Peer.of(Peer.N1).start();
        RawSocket bad = RawSocket.to(n1);
        RawSocket good = RawSocket.to(n1)) {
      byte[] hello = RawSocket.hello(Peer.N2, Peer.N1).setClusterId("c9").build().toByteArray();
      byte[] refused = RawSocket.frame(hello, new byte[0]);
      byte[] both = java.util.Arrays.copyOf(refused, refused.length + frame.length);
      System.arraycopy(frame, 0, both, refused.length, frame.length);
      bad.write(both);
      assertThat(bad.isClosedByPeer()).isTrue();
      // What another connection says afterwards arrives, so the first one is done with.
      good.greet(Peer.N3, Peer.N1).write(frame);
      Peer.await("a message", () -> !n1.received.isEmpty());
      assertThat(n1.received).hasSize(1);
      assertThat(n1.received.get(0).from()).isEqualTo(Peer.N3);
      assertThat(n1.received.get(0).to()).isEqualTo(Peer.N1);
    }
  }

  @Test
  void aMessageWithoutAHelloEndsTheConnection() throws IOException {
    byte[] message =
        PeerMessage.newBuilder()
            .setTimeoutNow(TimeoutNow.getDefaultInstance())
            .build()
            .toByteArray();
    try (Peer n1 = Peer.of(Peer.N1).start();
        RawSocket socket = RawSocket.to(n1)) {
      socket.frame(message);
      assertThat(socket.isClosedByPeer()).isTrue();
      Peer.await("it is counted", () -> n1.stats().badBytes() == 1);
      assertThat(n1.received).isEmpty();
    }
  }

  @Test
  void aRefusedNodeDropsWhatWaitedAndComesBackUntilItIsAccepted() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start()) {
      for (int attempt = 1; attempt <= 3; attempt++) {
        try (RawSocket n2 = new RawSocket(server.accept())) {
          n2.hello();
          n1.send(Peer.N2, 1, Peer.heartbeat(attempt));
          n2.answer("not today");
          assertThat(n2.isClosedByPeer()).isTrue();
        }
        int refusals = attempt;
        Peer.await("the message is dropped", () -> n1.stats().dropped() == refusals);
      }
      assertThat(n1.stats().refused()).isEqualTo(3);
      assertThat(n1.stats().sent()).isZero();
      assertThat(n1.unreachable).isEmpty();
      try (RawSocket n2 = new RawSocket(server.accept())) {
        n2.welcome();
        Peer.await(
            "a message is sent",
            () -> {
              n1.send(Peer.N2, 1, Peer.heartbeat(9));
              return n1.stats().sent() > 0;
            });
      }
    }
  }

  /** Whoever listens there may take the connection and say nothing for ever. */
  @Test
  void aPeerThatDoesNotAnswerTheHelloIsTriedAgain() throws IOException {
    TransportOptions options = TransportOptions.DEFAULT.withHelloTimeout(Duration.ofMillis(50));
    try (ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).options(options).start()) {
      Peer.await("three attempts", () -> n1.stats().refused() >= 3);
      assertThat(n1.stats().connections()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void whatASenderGetsBeyondTheAnswerEndsTheConnection() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start();
        RawSocket n2 = new RawSocket(server.accept())) {
      n2.welcome();
      n2.frame(new byte[3]);
      assertThat(n2.isClosedByPeer()).isTrue();
      Peer.await("it is counted", () -> n1.stats().badBytes() == 1);
      Peer.await("it is told", () -> n1.unreachable.size() == 1);
    }
  }
}
