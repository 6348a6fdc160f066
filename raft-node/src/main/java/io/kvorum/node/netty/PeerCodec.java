package io.kvorum.node.netty;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.node.protocol.AppendEntries;
import io.kvorum.node.protocol.AppendEntriesResponse;
import io.kvorum.node.protocol.PeerHello;
import io.kvorum.node.protocol.PeerHelloAnswer;
import io.kvorum.node.protocol.PeerMessage;
import io.kvorum.node.protocol.Quiesce;
import io.kvorum.node.protocol.QuiesceResponse;
import io.kvorum.node.protocol.ReadIndex;
import io.kvorum.node.protocol.ReadIndexResponse;
import io.kvorum.node.protocol.Removed;
import io.kvorum.node.protocol.RequestVote;
import io.kvorum.node.protocol.RequestVoteResponse;
import io.kvorum.node.protocol.TimeoutNow;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Turns messages into frames and back; {@code peer.proto} describes them. What comes in is checked
 * here for all that the core takes for granted, so that a broken peer ends a connection and not a
 * node.
 */
final class PeerCodec {
  /** The version of the protocol that this node speaks. */
  static final int PROTOCOL_VERSION = 1;

  /** A feature: the node takes {@link SnapshotFrame}s about snapshots. */
  static final int TAKES_SNAPSHOTS = 1;

  /** A feature: the node takes {@link SnapshotFrame}s about states. */
  static final int TAKES_STATES = 2;

  /** A feature: the node takes {@link SnapshotFrame}s about space. */
  static final int TAKES_SPACE = 4;

  /** All that this version takes. */
  static final int FEATURES = TAKES_SNAPSHOTS | TAKES_STATES | TAKES_SPACE;

  /** The largest header of any frame. */
  static final int HEADER_BYTES_MAX = 1 << 10;

  /** The largest frame before the hello was accepted. */
  static final int HELLO_FRAME_BYTES_MAX = Integer.BYTES + HEADER_BYTES_MAX;

  private static final int REFUSAL_LENGTH_MAX = 512;
  private static final int NESTING_MAX = 4;

  private PeerCodec() {}

  /** Whether the protocol has this kind of message; snapshots have frames of their own. */
  static boolean travels(Message message) {
    return !(message instanceof Message.InstallSnapshot);
  }

  /** What an AppendEntries carries, and nothing for other messages. */
  static List<Entry> entries(Message message) {
    return message instanceof Message.AppendEntries append ? append.entries() : List.of();
  }

  /**
   * The frame up to its payload.
   *
   * @param payloadBytes of the records that follow
   */
  static ByteBuf encode(
      ByteBufAllocator allocator, int group, Envelope envelope, int payloadBytes) {
    PeerMessage.Builder header = PeerMessage.newBuilder().setGroup(group).setTerm(envelope.term());
    fill(header, envelope.message());
    return frame(allocator, header.build(), payloadBytes);
  }

  /** The frame up to its payload, which is {@link SnapshotCodec#payload}. */
  static ByteBuf encode(ByteBufAllocator allocator, int group, SnapshotFrame frame) {
    return frame(
        allocator, SnapshotCodec.header(group, frame), SnapshotCodec.payload(frame).length);
  }

  /** The first frame of a connection. */
  static ByteBuf encode(ByteBufAllocator allocator, Greeting greeting) {
    PeerHello hello =
        PeerHello.newBuilder()
            .setProtocolVersion(greeting.protocolVersion())
            .setClusterId(greeting.clusterId())
            .setFrom(greeting.from().name())
            .setTo(greeting.to().name())
            .setIncarnation(greeting.incarnation())
            .setGroup(greeting.group())
            .setAddress(greeting.address())
            .build();
    return frame(allocator, hello, 0);
  }

  /** The answer to a hello. */
  static ByteBuf encode(ByteBufAllocator allocator, HelloAnswer answer) {
    PeerHelloAnswer frame =
        PeerHelloAnswer.newBuilder()
            .setProtocolVersion(PROTOCOL_VERSION)
            .setRefusal(answer.refusal() == null ? "" : printable(answer.refusal()))
            .setGroup(answer.group())
            .setFeatures(answer.features())
            .build();
    return frame(allocator, frame, 0);
  }

  private static void fill(PeerMessage.Builder header, Message message) {
    if (message instanceof Message.AppendEntries append) {
      header.setAppendEntries(
          AppendEntries.newBuilder()
              .setPrevIndex(append.prev().index())
              .setPrevTerm(append.prev().term())
              .setCommit(append.commit())
              .setRound(append.round())
              .setEntries(append.entries().size()));
    } else if (message instanceof Message.AppendEntriesResponse response) {
      AppendEntriesResponse.Builder body =
          AppendEntriesResponse.newBuilder()
              .setMatch(response.match())
              .setRejected(response.rejected())
              .setRound(response.round());
      EntryId hint = response.hint();
      if (hint != null) {
        body.setHasHint(true).setHintIndex(hint.index()).setHintTerm(hint.term());
      }
      header.setAppendEntriesResponse(body);
    } else if (message instanceof Message.RequestVote vote) {
      header.setRequestVote(
          RequestVote.newBuilder()
              .setLastIndex(vote.last().index())
              .setLastTerm(vote.last().term())
              .setPreVote(vote.preVote())
              .setTransfer(vote.transfer()));
    } else if (message instanceof Message.RequestVoteResponse response) {
      header.setRequestVoteResponse(
          RequestVoteResponse.newBuilder()
              .setGranted(response.granted())
              .setPreVote(response.preVote()));
    } else if (message instanceof Message.TimeoutNow) {
      header.setTimeoutNow(TimeoutNow.getDefaultInstance());
    } else if (message instanceof Message.Removed removed) {
      EntryId membership = removed.membership();
      header.setRemoved(
          Removed.newBuilder().setIndex(membership.index()).setTerm(membership.term()));
    } else {
      fillSmall(header, message);
    }
  }

  private static void fillSmall(PeerMessage.Builder header, Message message) {
    if (message instanceof Message.ReadIndex request) {
      header.setReadIndex(ReadIndex.newBuilder().setAttempt(request.attempt()));
    } else if (message instanceof Message.ReadIndexResponse response) {
      header.setReadIndexResponse(
          ReadIndexResponse.newBuilder().setAttempt(response.attempt()).setIndex(response.index()));
    } else if (message instanceof Message.Quiesce quiesce) {
      header.setQuiesce(
          Quiesce.newBuilder()
              .setLastIndex(quiesce.last().index())
              .setLastTerm(quiesce.last().term()));
    } else if (message instanceof Message.QuiesceResponse response) {
      header.setQuiesceResponse(
          QuiesceResponse.newBuilder()
              .setLastIndex(response.last().index())
              .setLastTerm(response.last().term()));
    } else {
      throw new AssertionError("a message that does not travel: " + message);
    }
  }

  private static ByteBuf frame(ByteBufAllocator allocator, MessageLite header, int payloadBytes) {
    int headerBytes = header.getSerializedSize();
    ByteBuf frame = allocator.directBuffer(2 * Integer.BYTES + headerBytes);
    frame.writeIntLE(Integer.BYTES + headerBytes + payloadBytes);
    frame.writeIntLE(headerBytes);
    try {
      CodedOutputStream out =
          CodedOutputStream.newInstance(frame.internalNioBuffer(frame.writerIndex(), headerBytes));
      header.writeTo(out);
      out.flush();
    } catch (IOException impossible) {
      frame.release();
      throw new UncheckedIOException("writing to memory", impossible);
    }
    frame.writerIndex(frame.writerIndex() + headerBytes);
    return frame;
  }

  /**
   * Hands on what is in a frame. Moves the reader index; does not release the frame.
   *
   * @param frame without its first length field, as {@link FrameDecoder} hands it on
   */
  static void deliver(ByteBuf frame, int group, NodeId from, NodeId to, Transport.Receiver receiver)
      throws BadFrame {
    PeerMessage header = parse(frame, PeerMessage.parser());
    if (header.getGroup() != group) {
      throw new BadFrame("a message for group " + header.getGroup() + ", this is " + group);
    }
    if (SnapshotCodec.isSnapshot(header)) {
      receiver.received(from, SnapshotCodec.decode(header, frame));
    } else {
      receiver.received(decode(header, frame, from, to));
    }
  }

  private static Envelope decode(PeerMessage header, ByteBuf frame, NodeId from, NodeId to)
      throws BadFrame {
    int group = header.getGroup();
    long term = notNegative(header.getTerm(), "term");
    Message message =
        header.hasAppendEntries()
            ? append(header.getAppendEntries(), group, term, frame)
            : small(header, frame);
    return new Envelope(from, to, term, message);
  }

  private static Message append(AppendEntries body, int group, long term, ByteBuf payload)
      throws BadFrame {
    EntryId prev = id(body.getPrevIndex(), body.getPrevTerm());
    List<Entry> entries = AppendPayload.decode(payload, group, body.getEntries(), prev, term);
    return new Message.AppendEntries(
        prev,
        entries,
        notNegative(body.getCommit(), "commit"),
        notNegative(body.getRound(), "round"));
  }

  private static Message small(PeerMessage header, ByteBuf payload) throws BadFrame {
    if (payload.isReadable()) {
      throw new BadFrame("a payload in " + header.getBodyCase());
    }
    return switch (header.getBodyCase()) {
      case APPEND_ENTRIES_RESPONSE -> response(header.getAppendEntriesResponse());
      case REQUEST_VOTE -> {
        RequestVote body = header.getRequestVote();
        EntryId last = id(body.getLastIndex(), body.getLastTerm());
        yield new Message.RequestVote(last, body.getPreVote(), body.getTransfer());
      }
      case REQUEST_VOTE_RESPONSE -> {
        RequestVoteResponse body = header.getRequestVoteResponse();
        yield new Message.RequestVoteResponse(body.getGranted(), body.getPreVote());
      }
      case TIMEOUT_NOW -> new Message.TimeoutNow();
      case READ_INDEX ->
          new Message.ReadIndex(notNegative(header.getReadIndex().getAttempt(), "attempt"));
      case READ_INDEX_RESPONSE -> {
        ReadIndexResponse body = header.getReadIndexResponse();
        yield new Message.ReadIndexResponse(
            notNegative(body.getAttempt(), "attempt"), notNegative(body.getIndex(), "index"));
      }
      case QUIESCE -> {
        Quiesce body = header.getQuiesce();
        yield new Message.Quiesce(id(body.getLastIndex(), body.getLastTerm()));
      }
      case QUIESCE_RESPONSE -> {
        QuiesceResponse body = header.getQuiesceResponse();
        yield new Message.QuiesceResponse(id(body.getLastIndex(), body.getLastTerm()));
      }
      case REMOVED -> {
        Removed body = header.getRemoved();
        yield new Message.Removed(id(body.getIndex(), body.getTerm()));
      }
      default -> throw new BadFrame("a message of an unknown kind");
    };
  }

  private static Message response(AppendEntriesResponse body) throws BadFrame {
    EntryId hint = body.getHasHint() ? id(body.getHintIndex(), body.getHintTerm()) : null;
    return new Message.AppendEntriesResponse(
        notNegative(body.getMatch(), "match"),
        notNegative(body.getRejected(), "rejected"),
        hint,
        notNegative(body.getRound(), "round"));
  }

  /** The hello in a frame; as {@link #decode}. */
  static Greeting decodeHello(ByteBuf frame) throws BadFrame {
    PeerHello hello = parse(frame, PeerHello.parser());
    if (frame.isReadable()) {
      throw new BadFrame("a payload in a hello");
    }
    if (!MemberIdentity.isClusterId(hello.getClusterId())) {
      throw new BadFrame("a hello without a cluster id");
    }
    if (!MemberIdentity.isAddress(hello.getAddress())) {
      throw new BadFrame("a hello with an address that is none");
    }
    return new Greeting(
        hello.getProtocolVersion(),
        hello.getClusterId(),
        node(hello.getFrom()),
        node(hello.getTo()),
        hello.getIncarnation(),
        hello.getGroup(),
        hello.getAddress());
  }

  /** The answer in a frame; as {@link #decode}. */
  static HelloAnswer decodeAnswer(ByteBuf frame) throws BadFrame {
    PeerHelloAnswer answer = parse(frame, PeerHelloAnswer.parser());
    if (frame.isReadable()) {
      throw new BadFrame("a payload in an answer");
    }
    if (!answer.getRefusal().isEmpty()) {
      return new HelloAnswer(
          printable(answer.getRefusal()), answer.getGroup(), answer.getFeatures());
    }
    if (answer.getProtocolVersion() != PROTOCOL_VERSION) {
      throw new BadFrame("an answer in protocol version " + answer.getProtocolVersion());
    }
    return new HelloAnswer(null, answer.getGroup(), answer.getFeatures());
  }

  private static <T> T parse(ByteBuf frame, Parser<T> parser) throws BadFrame {
    int headerBytes = frame.readIntLE();
    try {
      CodedInputStream in =
          CodedInputStream.newInstance(frame.internalNioBuffer(frame.readerIndex(), headerBytes));
      in.setRecursionLimit(NESTING_MAX);
      T header = parser.parseFrom(in);
      in.checkLastTagWas(0);
      frame.skipBytes(headerBytes);
      return header;
    } catch (InvalidProtocolBufferException invalid) {
      throw new BadFrame("a header that is not protobuf: " + invalid.getMessage());
    }
  }

  private static NodeId node(String name) throws BadFrame {
    try {
      return new NodeId(name);
    } catch (IllegalArgumentException notAName) {
      throw new BadFrame("a hello with a name that is none");
    }
  }

  /** Index and term are 0 together, or neither is. */
  private static EntryId id(long index, long term) throws BadFrame {
    if (index < 0 || term < 0 || (index == 0) != (term == 0)) {
      throw new BadFrame("entry id " + index + "@" + term);
    }
    return new EntryId(index, term);
  }

  private static long notNegative(long value, String name) throws BadFrame {
    if (value < 0) {
      throw new BadFrame("negative " + name + " " + value);
    }
    return value;
  }

  /** Another process wrote this, and it goes into our log: bounded, and on one line. */
  private static String printable(String text) {
    String bounded =
        text.length() <= REFUSAL_LENGTH_MAX ? text : text.substring(0, REFUSAL_LENGTH_MAX);
    return bounded.replaceAll("[^\\x20-\\x7e]", "?");
  }
}
