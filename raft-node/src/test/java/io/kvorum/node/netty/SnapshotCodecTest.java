package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.StateSum;
import io.kvorum.node.protocol.PeerMessage;
import io.kvorum.node.protocol.SnapshotChunk;
import io.kvorum.node.protocol.SnapshotGone;
import io.kvorum.node.protocol.SnapshotOffer;
import io.kvorum.node.protocol.SnapshotPull;
import io.kvorum.node.protocol.StateSums;
import io.kvorum.node.protocol.StateWanted;
import io.kvorum.testkit.Golden;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class SnapshotCodecTest {
  private static final int GROUP = 3;
  private static final String NAME = "00000000000000004711-42";
  private static final Golden GOLDEN = Golden.of(SnapshotCodecTest.class);

  static {
    Leaks.watch();
  }

  private static Map<String, SnapshotFrame> samples() {
    byte[] bytes = "some bytes".getBytes(StandardCharsets.US_ASCII);
    Map<String, SnapshotFrame> samples = new LinkedHashMap<>();
    samples.put("offer", new SnapshotFrame.Offer(6, bytes));
    samples.put("pull", new SnapshotFrame.Pull(NAME, 7, 5L << 40, 262_144));
    samples.put("chunk", new SnapshotFrame.Chunk(NAME, 7, 5L << 40, 0xcafe0123, bytes));
    samples.put("gone", new SnapshotFrame.Gone(NAME));
    samples.put("fetched", new SnapshotFrame.Fetched(NAME));
    StateSum sum = new StateSum(4711, 2, "0123456789abcdef");
    samples.put("sums", new SnapshotFrame.Sums(List.of(sum, new StateSum(4800, 1, "f"))));
    samples.put("wanted", new SnapshotFrame.Wanted(4711, 4713));
    samples.put("space", new SnapshotFrame.Space(true));
    return samples;
  }

  @Test
  void framesAreTheRecordedOnes() {
    samples()
        .forEach(
            (name, frame) -> GOLDEN.check("format/peer-snapshot-" + name + ".hex", bytes(frame)));
    assertThat(samples()).hasSameSizeAs(SnapshotFrame.class.getPermittedSubclasses());
  }

  @Test
  void whatIsDecodedIsWhatWasEncoded() throws BadFrame {
    for (SnapshotFrame frame : samples().values()) {
      assertThat(text(decode(bytes(frame)))).isEqualTo(text(frame));
    }
  }

  /** A broken peer may say anything; what is taken from it is within the limits. */
  @Property(tries = 2_000)
  void damagedFramesAreRefusedOrWithinTheLimits(
      @ForAll @IntRange(min = 0, max = 7) int which,
      @ForAll int position,
      @ForAll @IntRange(min = 1, max = 255) int flip) {
    byte[] bytes = bytes(samples().values().stream().toList().get(which));
    bytes[8 + Math.floorMod(position, bytes.length - 8)] ^= (byte) flip;
    Inbox inbox = new Inbox();
    try {
      PeerCodec.deliver(Unpooled.wrappedBuffer(bytes).skipBytes(4), GROUP, Peer.N1, Peer.N2, inbox);
    } catch (BadFrame expected) {
      assertThat(expected).hasMessageMatching("(?s).+");
    }
    for (SnapshotFrame frame : inbox.frames) {
      if (frame instanceof SnapshotFrame.Pull pull) {
        assertThat(pull.name()).matches("[0-9]{20}-[0-9]+");
        assertThat(pull.length()).isBetween(1, SnapshotFrame.CHUNK_BYTES_MAX);
        assertThat(pull.offset() + pull.length()).isPositive();
      }
    }
  }

  @Test
  void whatIsBeyondTheLimitsIsRefused() {
    refused(pull(NAME, 0, 0, 0), "0 bytes at 0 of file 0");
    refused(pull(NAME, 0, 0, SnapshotFrame.CHUNK_BYTES_MAX + 1), "262145 bytes");
    refused(pull(NAME, -1, 0, 1), "of file -1");
    refused(pull(NAME, 0, -1, 1), "at -1");
    refused(pull(NAME, 0, Long.MAX_VALUE, 1), "1 bytes at 9223372036854775807");
    refused(pull("../../../../../../etc-1", 0, 0, 1), "a name that is no snapshot's");
    refused(pull("", 0, 0, 1), "a name that is no snapshot's");
    refused(sums(0, 1, "ab"), "no sum of a state");
    refused(sums(1, 0, "ab"), "no sum of a state");
    refused(sums(1, 1, "AB"), "no sum of a state");
    refused(sums(1, 1, "a".repeat(65)), "no sum of a state");
    PeerMessage.Builder none = PeerMessage.newBuilder().setGroup(GROUP);
    none.setStateSums(StateSums.getDefaultInstance());
    refused(RawSocket.frame(none.build().toByteArray(), new byte[0]), "0 sums");
    PeerMessage.Builder wanted = PeerMessage.newBuilder().setGroup(GROUP);
    wanted.setStateWanted(StateWanted.newBuilder().setCheck(5).setAbove(4));
    refused(RawSocket.frame(wanted.build().toByteArray(), new byte[0]), "wants above 4 of 5");
    PeerMessage.Builder gone = PeerMessage.newBuilder().setGroup(GROUP);
    gone.setSnapshotGone(SnapshotGone.newBuilder().setName(NAME));
    refused(RawSocket.frame(gone.build().toByteArray(), new byte[1]), "a payload in SNAPSHOT_GONE");
    PeerMessage.Builder offer = PeerMessage.newBuilder().setGroup(GROUP);
    offer.setSnapshotOffer(SnapshotOffer.getDefaultInstance());
    refused(RawSocket.frame(offer.build().toByteArray(), new byte[1]), "an offer in term 0");
    offer.setTerm(5);
    refused(RawSocket.frame(offer.build().toByteArray(), new byte[0]), "without a manifest");
    PeerMessage.Builder chunk = PeerMessage.newBuilder().setGroup(GROUP);
    chunk.setSnapshotChunk(SnapshotChunk.newBuilder().setName(NAME));
    byte[] header = chunk.build().toByteArray();
    refused(RawSocket.frame(header, new byte[0]), "0 bytes");
    refused(RawSocket.frame(header, new byte[SnapshotFrame.CHUNK_BYTES_MAX + 1]), "262145 bytes");
  }

  @Test
  void chunksTravelBetweenPeersThatTakeThem() {
    int port = Peer.freePort();
    try (Peer n2 = Peer.of(Peer.N2).port(port).start();
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, port).start()) {
      n1.reach(n2);
      byte[] bytes = new byte[SnapshotFrame.CHUNK_BYTES_MAX];
      Arrays.fill(bytes, (byte) 7);
      SnapshotFrame chunk = new SnapshotFrame.Chunk(NAME, 1, 2, 3, bytes);
      n1.onLoop(
          () -> {
            n1.transport.send(Peer.N2, chunk);
            n1.transport.flush();
          });
      Peer.await("the chunk arrives", () -> n2.frames.size() == 1);
      assertThat(text(n2.frames.get(0))).isEqualTo(text(chunk));
    }
  }

  /** An older version would take the frame for bad bytes, and close the connection. */
  @Test
  void aPeerThatDoesNotSayThatItTakesSnapshotsIsSentNone() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Peer n1 = Peer.of(Peer.N1).dials(Peer.N2, server.getLocalPort()).start();
        RawSocket old = new RawSocket(server.accept()).welcome()) {
      Peer.await(
          "the frame is left out",
          () -> {
            n1.onLoop(() -> n1.transport.send(Peer.N2, new SnapshotFrame.Gone(NAME)));
            return n1.stats().unsendable() > 0;
          });
      n1.send(Peer.N2, 1, Peer.heartbeat(5));
      assertThat(PeerMessage.parseFrom(old.read()).getAppendEntries().getRound()).isEqualTo(5);
    }
  }

  private static byte[] sums(long index, int format, String hash) {
    PeerMessage header =
        PeerMessage.newBuilder()
            .setGroup(GROUP)
            .setStateSums(
                StateSums.newBuilder()
                    .addSum(
                        StateSums.Sum.newBuilder().setIndex(index).setFormat(format).setHash(hash)))
            .build();
    return RawSocket.frame(header.toByteArray(), new byte[0]);
  }

  private static byte[] pull(String name, int file, long offset, int length) {
    PeerMessage header =
        PeerMessage.newBuilder()
            .setGroup(GROUP)
            .setSnapshotPull(
                SnapshotPull.newBuilder()
                    .setName(name)
                    .setFile(file)
                    .setOffset(offset)
                    .setLength(length))
            .build();
    return RawSocket.frame(header.toByteArray(), new byte[0]);
  }

  private static void refused(byte[] frame, String why) {
    assertThatThrownBy(() -> decode(frame)).isInstanceOf(BadFrame.class).hasMessageContaining(why);
  }

  private static SnapshotFrame decode(byte[] frame) throws BadFrame {
    Inbox inbox = new Inbox();
    ByteBuf bytes = Unpooled.wrappedBuffer(frame).skipBytes(4);
    PeerCodec.deliver(bytes, GROUP, Peer.N1, Peer.N2, inbox);
    assertThat(bytes.isReadable()).isFalse();
    return inbox.frames.get(0);
  }

  private static byte[] bytes(SnapshotFrame frame) {
    ByteBuf head = PeerCodec.encode(PooledByteBufAllocator.DEFAULT, GROUP, frame);
    try {
      byte[] start = ByteBufUtil.getBytes(head);
      byte[] payload = SnapshotCodec.payload(frame);
      byte[] whole = Arrays.copyOf(start, start.length + payload.length);
      System.arraycopy(payload, 0, whole, start.length, payload.length);
      return whole;
    } finally {
      head.release();
    }
  }

  /** With the bytes, which records compare by identity only. */
  private static String text(SnapshotFrame frame) {
    String rest = frame instanceof SnapshotFrame.Chunk chunk ? " crc " + chunk.crc() : "";
    return frame + rest + " " + ByteBufUtil.hexDump(SnapshotCodec.payload(frame));
  }
}
