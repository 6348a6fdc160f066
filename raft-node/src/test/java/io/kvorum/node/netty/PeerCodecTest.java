package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.node.Feature;
import io.kvorum.node.Features;
import io.kvorum.node.protocol.AppendEntries;
import io.kvorum.node.protocol.PeerMessage;
import io.kvorum.node.protocol.RequestVote;
import io.kvorum.node.protocol.TimeoutNow;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.Message;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.testkit.Golden;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PeerCodecTest {
  private static final int GROUP = 3;
  private static final Golden GOLDEN = Golden.of(PeerCodecTest.class);

  static {
    Leaks.watch();
  }

  /** One message of each kind, with every field different from its default. */
  private static Map<String, Message> samples() {
    byte[] payload = "put a=1".getBytes(StandardCharsets.US_ASCII);
    Map<String, Message> samples = new LinkedHashMap<>();
    samples.put("request-vote", new Message.RequestVote(new EntryId(9, 4), true, true));
    samples.put("request-vote-response", new Message.RequestVoteResponse(true, true));
    samples.put(
        "append-entries",
        new Message.AppendEntries(
            new EntryId(9, 4),
            List.of(Entry.noOp(10, 5), new Entry(11, 5, EntryType.COMMAND, payload)),
            8,
            77));
    samples.put("append-entries-heartbeat", Peer.heartbeat(78));
    samples.put("append-entries-accepted", new Message.AppendEntriesResponse(11, 0, null, 77));
    samples.put(
        "append-entries-rejected", new Message.AppendEntriesResponse(0, 9, new EntryId(7, 3), 77));
    samples.put("timeout-now", new Message.TimeoutNow());
    samples.put("read-index", new Message.ReadIndex(21));
    samples.put("read-index-response", new Message.ReadIndexResponse(21, 11));
    samples.put("quiesce", new Message.Quiesce(new EntryId(9, 4)));
    samples.put("quiesce-response", new Message.QuiesceResponse(new EntryId(9, 4)));
    samples.put("removed", new Message.Removed(new EntryId(12, 6)));
    return samples;
  }

  /** A frame changes its bytes only with a new version of the protocol. */
  @Test
  void framesAreTheRecordedOnes() {
    samples()
        .forEach((name, message) -> GOLDEN.check("format/peer-" + name + ".hex", frame(message)));
    ByteBuf hello =
        PeerCodec.encode(
            PooledByteBufAllocator.DEFAULT,
            new Greeting(
                PeerCodec.PROTOCOL_VERSION,
                "c1",
                Peer.N1,
                Peer.N2,
                0x0123456789abcdefL,
                0x1122334455667788L,
                "h:1:2",
                Features.NONE));
    GOLDEN.check("format/peer-hello.hex", bytesOf(hello));
    ByteBuf helloOfAbilities =
        PeerCodec.encode(
            PooledByteBufAllocator.DEFAULT,
            new Greeting(1, "c1", Peer.N1, Peer.N2, 1, 2, "", Features.ALL));
    GOLDEN.check("format/peer-hello-features.hex", bytesOf(helloOfAbilities));
    ByteBuf accepted =
        PeerCodec.encode(
            PooledByteBufAllocator.DEFAULT,
            new HelloAnswer(null, 0x1122334455667788L, Features.NONE));
    GOLDEN.check("format/peer-hello-accepted.hex", bytesOf(accepted));
    ByteBuf able =
        PeerCodec.encode(
            PooledByteBufAllocator.DEFAULT,
            new HelloAnswer(null, 0x1122334455667788L, Features.of(Feature.SNAPSHOTS)));
    GOLDEN.check("format/peer-hello-accepted-snapshots.hex", bytesOf(able));
    ByteBuf refused =
        PeerCodec.encode(
            PooledByteBufAllocator.DEFAULT, new HelloAnswer("wrong cluster", 0, Features.NONE));
    GOLDEN.check("format/peer-hello-refused.hex", bytesOf(refused));
  }

  @Test
  void everyKindOfMessageTravelsOrIsNamedHere() {
    Set<Class<?>> stayHere = Set.of(Message.InstallSnapshot.class);
    Set<Class<?>> sampled = new java.util.HashSet<>();
    samples().values().forEach(sample -> sampled.add(sample.getClass()));
    for (Class<?> kind : Message.class.getPermittedSubclasses()) {
      assertThat(sampled.contains(kind) || stayHere.contains(kind)).as(kind.toString()).isTrue();
    }
    assertThat(samples().values()).allMatch(PeerCodec::travels);
    SnapshotMeta snapshot = SnapshotMeta.initial(Membership.of(Set.of(Peer.N1)));
    assertThat(PeerCodec.travels(new Message.InstallSnapshot(snapshot))).isFalse();
  }

  @Property(tries = 500)
  void whatIsDecodedIsWhatWasEncoded(@ForAll("envelopes") Envelope envelope) throws BadFrame {
    ByteBuf frame = Unpooled.wrappedBuffer(frame(envelope)).skipBytes(4);
    Envelope decoded = decode(frame);
    assertThat(text(decoded)).isEqualTo(text(envelope));
    assertThat(frame.isReadable()).isFalse();
  }

  /** Whatever a peer sends, the answer is a message that the core can take, or BadFrame. */
  @Property(tries = 2_000)
  void damagedFramesAreRefusedOrHarmless(
      @ForAll("envelopes") Envelope envelope,
      @ForAll int position,
      @ForAll @IntRange(min = 1, max = 255) int flip) {
    byte[] bytes = frame(envelope);
    int at = 8 + Math.floorMod(position, Math.max(1, bytes.length - 8));
    if (at >= bytes.length) {
      return;
    }
    bytes[at] ^= (byte) flip;
    try {
      Envelope decoded = decode(Unpooled.wrappedBuffer(bytes).skipBytes(4));
      if (decoded == null) {
        // It became a frame about a snapshot, which the exchange has to take from anybody.
        return;
      }
      // The header has no checksum of its own; the records have, and follow from the header.
      assertThat(decoded.term()).isNotNegative();
      if (decoded.message() instanceof Message.AppendEntries append
          && !append.entries().isEmpty()) {
        assertThat(entriesText(append.entries()))
            .isEqualTo(entriesText(PeerCodec.entries(envelope.message())));
      }
    } catch (BadFrame expected) {
      assertThat(expected).hasMessageMatching(".+");
    }
  }

  @Property(tries = 2_000)
  void randomBytesAreRefused(@ForAll byte[] bytes) {
    byte[] frame = RawSocket.frame(bytes, new byte[0]);
    try {
      Envelope decoded = decode(Unpooled.wrappedBuffer(frame).skipBytes(4));
      assertThat(decoded == null || decoded.term() >= 0).isTrue();
    } catch (BadFrame expected) {
      assertThat(expected).hasMessageMatching("(?s).+");
    }
  }

  @Test
  void numbersThatAreNegativeInJavaAreRefused() {
    refused(PeerMessage.newBuilder().setTerm(-1), "negative term");
    refused(
        PeerMessage.newBuilder().setAppendEntries(AppendEntries.newBuilder().setCommit(-1)),
        "negative commit");
    refused(
        PeerMessage.newBuilder()
            .setRequestVote(RequestVote.newBuilder().setLastIndex(-5).setLastTerm(1)),
        "entry id -5@1");
    refused(
        PeerMessage.newBuilder()
            .setRequestVote(RequestVote.newBuilder().setLastIndex(5).setLastTerm(0)),
        "entry id 5@0");
  }

  @Test
  void aMessageOfAnotherGroupOrKindOrWithAPayloadThatIsNoneOfItsOwnIsRefused() {
    refused(PeerMessage.newBuilder(), "unknown kind");
    refused(PeerMessage.newBuilder().setGroup(GROUP + 1), "group 4, this is 3");
    byte[] header =
        PeerMessage.newBuilder()
            .setGroup(GROUP)
            .setTimeoutNow(TimeoutNow.getDefaultInstance())
            .build()
            .toByteArray();
    refused(RawSocket.frame(header, new byte[8]), "a payload in TIMEOUT_NOW");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 1 << 30, -1})
  void theNumberOfRecordsMustBeTheOneAnnounced(int announced) {
    byte[] header =
        PeerMessage.newBuilder()
            .setGroup(GROUP)
            .setTerm(1)
            .setAppendEntries(AppendEntries.newBuilder().setEntries(announced))
            .build()
            .toByteArray();
    byte[] records = records(Entry.noOp(1, 1), Entry.noOp(2, 1));
    refused(RawSocket.frame(header, records), "record");
  }

  /** The core takes for granted that entries follow each other; so the edge has to know it. */
  @Test
  void entriesThatNoLeaderCanSendAreRefused() {
    refused(append(1, Entry.noOp(2, 1)), "entry 2@1 after 0@0");
    refused(append(2, Entry.noOp(1, 1), Entry.noOp(3, 1)), "entry 3@1 after 1@1");
    refused(append(2, Entry.noOp(1, 2), Entry.noOp(2, 1)), "entry 2@1 after 1@2");
    refused(append(1, Entry.noOp(1, 6)), "entry 1@6 after 0@0 in term 5");
  }

  @Test
  void everyBitOfTheRecordsIsGuarded() {
    byte[] good = append(2, Entry.noOp(1, 1), Peer.entry(2, 13));
    int start = good.length - records(Entry.noOp(1, 1), Peer.entry(2, 13)).length;
    for (int bit = 8 * start; bit < 8 * good.length; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      refused(bad, "record");
    }
  }

  @Test
  void aRefusalFitsItsFrameAndOneLine() throws BadFrame {
    ByteBuf answer =
        PeerCodec.encode(
            PooledByteBufAllocator.DEFAULT,
            new HelloAnswer("line\n" + "x".repeat(100_000), -1, Features.NONE));
    byte[] bytes = bytesOf(answer);
    assertThat(bytes.length).isLessThan(PeerCodec.HELLO_FRAME_BYTES_MAX);
    String refusal = PeerCodec.decodeAnswer(Unpooled.wrappedBuffer(bytes).skipBytes(4)).refusal();
    assertThat(refusal).startsWith("line?xxx").hasSize(512);
  }

  private static byte[] append(int announced, Entry... entries) {
    byte[] header =
        PeerMessage.newBuilder()
            .setGroup(GROUP)
            .setTerm(5)
            .setAppendEntries(AppendEntries.newBuilder().setEntries(announced))
            .build()
            .toByteArray();
    return RawSocket.frame(header, records(entries));
  }

  private static byte[] records(Entry... entries) {
    List<Entry> list = List.of(entries);
    int bytes = (int) AppendPayload.bytes(list);
    return bytesOf(AppendPayload.encode(PooledByteBufAllocator.DEFAULT, GROUP, list, bytes));
  }

  private static void refused(PeerMessage.Builder header, String why) {
    if (header.getGroup() == 0) {
      header.setGroup(GROUP);
    }
    refused(RawSocket.frame(header.build().toByteArray(), new byte[0]), why);
  }

  private static void refused(byte[] frame, String why) {
    assertThatThrownBy(() -> decode(Unpooled.wrappedBuffer(frame).skipBytes(4)))
        .isInstanceOf(BadFrame.class)
        .hasMessageContaining(why);
  }

  /** What is delivered; null if it is no message of the core. */
  private static @Nullable Envelope decode(ByteBuf frame) throws BadFrame {
    Inbox inbox = new Inbox();
    PeerCodec.deliver(frame, GROUP, Peer.N1, Peer.N2, inbox);
    assertThat(inbox.envelopes.size() + inbox.frames.size()).isEqualTo(1);
    return inbox.envelopes.isEmpty() ? null : inbox.envelopes.get(0);
  }

  private static byte[] frame(Message message) {
    return frame(new Envelope(Peer.N1, Peer.N2, 6, message));
  }

  private static byte[] frame(Envelope envelope) {
    List<Entry> entries = PeerCodec.entries(envelope.message());
    byte[] payload = records(entries.toArray(Entry[]::new));
    ByteBuf head =
        PeerCodec.encode(PooledByteBufAllocator.DEFAULT, GROUP, envelope, payload.length);
    byte[] start = bytesOf(head);
    byte[] whole = java.util.Arrays.copyOf(start, start.length + payload.length);
    System.arraycopy(payload, 0, whole, start.length, payload.length);
    return whole;
  }

  private static byte[] bytesOf(ByteBuf buffer) {
    try {
      return ByteBufUtil.getBytes(buffer);
    } finally {
      buffer.release();
    }
  }

  /** With the payloads, which records compare by identity only. */
  private static String text(Envelope envelope) {
    return envelope + " " + entriesText(PeerCodec.entries(envelope.message()));
  }

  private static String entriesText(List<Entry> entries) {
    StringBuilder text = new StringBuilder();
    for (Entry entry : entries) {
      text.append(entry).append(ByteBufUtil.hexDump(entry.payload())).append(' ');
    }
    return text.toString();
  }

  @Provide
  Arbitrary<Envelope> envelopes() {
    Arbitrary<Long> number =
        Arbitraries.longs().between(0, Long.MAX_VALUE).edgeCases(c -> c.add(0L, Long.MAX_VALUE));
    Arbitrary<EntryId> id =
        Combinators.combine(
                Arbitraries.longs().between(1, Long.MAX_VALUE),
                Arbitraries.longs().between(1, Long.MAX_VALUE))
            .as(EntryId::new)
            .injectNull(0.2)
            .map(some -> some == null ? EntryId.ZERO : some);
    Arbitrary<Boolean> flag = Arbitraries.of(true, false);
    Arbitrary<Envelope> small =
        Combinators.combine(
                Arbitraries.<Message>oneOf(
                    Combinators.combine(id, flag, flag).as(Message.RequestVote::new),
                    Combinators.combine(flag, flag).as(Message.RequestVoteResponse::new),
                    Combinators.combine(number, number, id.injectNull(0.5), number)
                        .as(Message.AppendEntriesResponse::new),
                    Arbitraries.just(new Message.TimeoutNow()),
                    number.map(Message.ReadIndex::new),
                    Combinators.combine(number, number).as(Message.ReadIndexResponse::new),
                    id.map(Message.Quiesce::new),
                    id.map(Message.QuiesceResponse::new),
                    id.map(Message.Removed::new)),
                number)
            .as((message, term) -> new Envelope(Peer.N1, Peer.N2, term, message));
    return Arbitraries.oneOf(small, appends(number));
  }

  private static Arbitrary<Envelope> appends(Arbitrary<Long> number) {
    Arbitrary<List<byte[]>> payloads =
        Arbitraries.bytes().array(byte[].class).ofMaxSize(40).list().ofMaxSize(5);
    return Combinators.combine(
            Arbitraries.longs().between(0, Long.MAX_VALUE - 5),
            Arbitraries.longs().between(1, Long.MAX_VALUE),
            payloads,
            number,
            number)
        .as(
            (prevIndex, term, bytes, commit, round) -> {
              EntryId prev = prevIndex == 0 ? EntryId.ZERO : new EntryId(prevIndex, term);
              List<Entry> entries = new ArrayList<>();
              for (byte[] payload : bytes) {
                long index = prevIndex + 1 + entries.size();
                EntryType type = payload.length % 2 == 0 ? EntryType.COMMAND : EntryType.NO_OP;
                entries.add(new Entry(index, term, type, payload));
              }
              Message append = new Message.AppendEntries(prev, entries, commit, round);
              return new Envelope(Peer.N1, Peer.N2, term, append);
            });
  }
}
