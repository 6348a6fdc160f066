package io.kvorum.node.netty;

import io.kvorum.node.Feature;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.StateSum;
import io.kvorum.node.protocol.MemberSpace;
import io.kvorum.node.protocol.PeerMessage;
import io.kvorum.node.protocol.SnapshotChunk;
import io.kvorum.node.protocol.SnapshotFetched;
import io.kvorum.node.protocol.SnapshotGone;
import io.kvorum.node.protocol.SnapshotOffer;
import io.kvorum.node.protocol.SnapshotPull;
import io.kvorum.node.protocol.StateSums;
import io.kvorum.node.protocol.StateWanted;
import io.kvorum.snapshot.Manifest;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames about snapshots, states and space, which share their envelope with the messages of the
 * core.
 */
final class SnapshotCodec {
  private static final byte[] NOTHING = {};

  private SnapshotCodec() {}

  /** Which feature whoever gets the frame must have. */
  static Feature feature(SnapshotFrame frame) {
    if (frame instanceof SnapshotFrame.Space) {
      return Feature.DISK_SPACE;
    }
    return frame instanceof SnapshotFrame.Sums || frame instanceof SnapshotFrame.Wanted
        ? Feature.STATE_CHECKS
        : Feature.SNAPSHOTS;
  }

  /** What follows the header. */
  static byte[] payload(SnapshotFrame frame) {
    if (frame instanceof SnapshotFrame.Offer offer) {
      return offer.manifest();
    }
    return frame instanceof SnapshotFrame.Chunk chunk ? chunk.bytes() : NOTHING;
  }

  static PeerMessage header(int group, SnapshotFrame frame) {
    PeerMessage.Builder header = PeerMessage.newBuilder().setGroup(group);
    if (frame instanceof SnapshotFrame.Offer offer) {
      header.setTerm(offer.term()).setSnapshotOffer(SnapshotOffer.getDefaultInstance());
    } else if (frame instanceof SnapshotFrame.Pull pull) {
      header.setSnapshotPull(
          SnapshotPull.newBuilder()
              .setName(pull.name())
              .setFile(pull.file())
              .setOffset(pull.offset())
              .setLength(pull.length()));
    } else if (frame instanceof SnapshotFrame.Chunk chunk) {
      header.setSnapshotChunk(
          SnapshotChunk.newBuilder()
              .setName(chunk.name())
              .setFile(chunk.file())
              .setOffset(chunk.offset())
              .setCrc(chunk.crc()));
    } else if (frame instanceof SnapshotFrame.Gone gone) {
      header.setSnapshotGone(SnapshotGone.newBuilder().setName(gone.name()));
    } else if (frame instanceof SnapshotFrame.Fetched fetched) {
      header.setSnapshotFetched(SnapshotFetched.newBuilder().setName(fetched.name()));
    } else if (frame instanceof SnapshotFrame.Sums sums) {
      StateSums.Builder body = header.getStateSumsBuilder();
      for (StateSum sum : sums.sums()) {
        body.addSum(
            StateSums.Sum.newBuilder()
                .setIndex(sum.index())
                .setFormat(sum.format())
                .setHash(sum.hash()));
      }
    } else if (frame instanceof SnapshotFrame.Wanted wanted) {
      header.setStateWanted(
          StateWanted.newBuilder().setCheck(wanted.checkIndex()).setAbove(wanted.aboveIndex()));
    } else if (frame instanceof SnapshotFrame.Space space) {
      header.setMemberSpace(MemberSpace.newBuilder().setLow(space.low()));
    } else {
      throw new AssertionError("unknown frame " + frame);
    }
    return header.build();
  }

  /** Whether a header is that of such a frame. */
  static boolean isSnapshot(PeerMessage header) {
    return switch (header.getBodyCase()) {
      case SNAPSHOT_OFFER,
          SNAPSHOT_PULL,
          SNAPSHOT_CHUNK,
          SNAPSHOT_GONE,
          SNAPSHOT_FETCHED,
          STATE_SUMS,
          STATE_WANTED,
          MEMBER_SPACE ->
          true;
      default -> false;
    };
  }

  /** The frame with this header. Its payload has arrived, within the limit of all frames. */
  static SnapshotFrame decode(PeerMessage header, ByteBuf payload) throws BadFrame {
    return switch (header.getBodyCase()) {
      case SNAPSHOT_OFFER -> {
        if (header.getTerm() < 1 || !payload.isReadable()) {
          throw new BadFrame("an offer in term " + header.getTerm() + " or without a manifest");
        }
        yield new SnapshotFrame.Offer(header.getTerm(), bytes(payload));
      }
      case SNAPSHOT_CHUNK -> {
        SnapshotChunk body = header.getSnapshotChunk();
        checkPlace(body.getFile(), body.getOffset(), payload.readableBytes());
        yield new SnapshotFrame.Chunk(
            name(body.getName()), body.getFile(), body.getOffset(), body.getCrc(), bytes(payload));
      }
      default -> small(header, payload);
    };
  }

  private static SnapshotFrame small(PeerMessage header, ByteBuf payload) throws BadFrame {
    if (payload.isReadable()) {
      throw new BadFrame("a payload in " + header.getBodyCase());
    }
    return switch (header.getBodyCase()) {
      case SNAPSHOT_PULL -> {
        SnapshotPull body = header.getSnapshotPull();
        checkPlace(body.getFile(), body.getOffset(), body.getLength());
        yield new SnapshotFrame.Pull(
            name(body.getName()), body.getFile(), body.getOffset(), body.getLength());
      }
      case SNAPSHOT_GONE -> new SnapshotFrame.Gone(name(header.getSnapshotGone().getName()));
      case SNAPSHOT_FETCHED ->
          new SnapshotFrame.Fetched(name(header.getSnapshotFetched().getName()));
      case MEMBER_SPACE -> new SnapshotFrame.Space(header.getMemberSpace().getLow());
      case STATE_SUMS, STATE_WANTED -> aboutState(header);
      default -> throw new BadFrame("a message of an unknown kind");
    };
  }

  private static SnapshotFrame aboutState(PeerMessage header) throws BadFrame {
    try {
      if (header.hasStateWanted()) {
        StateWanted body = header.getStateWanted();
        return new SnapshotFrame.Wanted(body.getCheck(), body.getAbove());
      }
      List<StateSum> sums = new ArrayList<>();
      for (StateSums.Sum sum : header.getStateSums().getSumList()) {
        sums.add(new StateSum(sum.getIndex(), sum.getFormat(), sum.getHash()));
      }
      return new SnapshotFrame.Sums(sums);
    } catch (IllegalArgumentException bad) {
      throw new BadFrame("what no member says of its state: " + bad.getMessage());
    }
  }

  private static void checkPlace(int file, long offset, int length) throws BadFrame {
    boolean isPlace = file >= 0 && offset >= 0 && offset <= Long.MAX_VALUE - length;
    if (!isPlace || length < 1 || length > SnapshotFrame.CHUNK_BYTES_MAX) {
      throw new BadFrame(length + " bytes at " + offset + " of file " + file + " of a snapshot");
    }
  }

  private static String name(String text) throws BadFrame {
    if (!Manifest.isName(text)) {
      throw new BadFrame("a name that is no snapshot's");
    }
    return text;
  }

  private static byte[] bytes(ByteBuf payload) {
    byte[] bytes = new byte[payload.readableBytes()];
    payload.readBytes(bytes);
    return bytes;
  }
}
