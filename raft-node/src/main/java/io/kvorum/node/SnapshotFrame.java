package io.kvorum.node;

import java.util.List;

/**
 * What members say to each other while a snapshot travels; beside the messages of the core, which
 * only says that one has to.
 *
 * <p>A leader offers, and from then on the receiver asks: for bytes of a file, at an offset. All
 * that is known of a transfer is on the receiver's disk, and whoever is asked answers from a file
 * and remembers nothing. So a frame may be lost, come twice, late, or after a restart of either
 * side, and nothing has to be agreed upon again (FAULTS F065).
 */
public sealed interface SnapshotFrame {
  /** The most bytes in a chunk: small, so that a heartbeat never waits long behind one. */
  int CHUNK_BYTES_MAX = 256 << 10;

  /**
   * The answer of a leader's transport to an InstallSnapshot of its core: what it should say to the
   * follower once the snapshot is there.
   *
   * @param term of the leader
   * @param manifest as on disk; shared, never changed
   */
  @SuppressWarnings("ArrayRecordComponent") // As with Entry: one array from disk to socket.
  record Offer(long term, byte[] manifest) implements SnapshotFrame {
    @Override
    public String toString() {
      return "Offer[term=" + term + ", " + manifest.length + " bytes]";
    }
  }

  /**
   * A request for bytes.
   *
   * @param name of the snapshot
   * @param file which one of its manifest, from 0
   * @param length from 1 to {@link #CHUNK_BYTES_MAX}; the file has as many from {@code offset} on
   */
  record Pull(String name, int file, long offset, int length) implements SnapshotFrame {}

  /**
   * Bytes of a file, as asked for.
   *
   * @param crc CRC32C of the bytes
   * @param bytes shared, never changed
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Chunk(String name, int file, long offset, int crc, byte[] bytes) implements SnapshotFrame {
    @Override
    public String toString() {
      return "Chunk[" + name + ", " + file + ", " + offset + "+" + bytes.length + "]";
    }
  }

  /**
   * From the one who was asked: that is not here, or cannot be read; only another offer can help.
   * From the receiver: what comes of it is damaged, again and again.
   */
  record Gone(String name) implements SnapshotFrame {}

  /** To whoever offered it: the receiver has the snapshot, or does not need it any more. */
  record Fetched(String name) implements SnapshotFrame {}

  /**
   * To the leader: what the sender's state sums up to behind the newest checks.
   *
   * @param sums oldest first, from one to {@link #COUNT_MAX}
   */
  record Sums(List<StateSum> sums) implements SnapshotFrame {
    /** The most that a member remembers, and says. */
    public static final int COUNT_MAX = 4;

    public Sums {
      sums = List.copyOf(sums);
      if (sums.isEmpty() || sums.size() > COUNT_MAX) {
        throw new IllegalArgumentException(sums.size() + " sums");
      }
    }
  }

  /**
   * To all members, in intervals as long as it is so, and once when it is so no more: whether the
   * sender's disk has little space left.
   */
  record Space(boolean low) implements SnapshotFrame {}

  /**
   * To the leader: the sender's state is wrong, and it wants a snapshot. One of a leader whose own
   * state was found right at that check or later, and that holds more than what has shown the
   * sender's to be wrong: so none that came of a wrong state.
   *
   * @param checkIndex at which the sender's state was found wrong
   * @param aboveIndex the snapshot's last entry has to be behind this one
   */
  record Wanted(long checkIndex, long aboveIndex) implements SnapshotFrame {
    public Wanted {
      if (checkIndex < 1 || aboveIndex < checkIndex) {
        throw new IllegalArgumentException("wants above " + aboveIndex + " of " + checkIndex);
      }
    }
  }
}
