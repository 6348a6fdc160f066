package io.kvorum.log;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.ArrayList;
import java.util.List;

/**
 * What readers see of the log at one moment; never changed, replaced as a whole.
 *
 * @param segments lowest first; empty only while a reset is under way
 * @param compacted the id before the first entry
 * @param last the id of the last entry whose write is complete
 */
record LogView(List<Segment> segments, EntryId compacted, EntryId last) {
  static LogView of(List<Segment> segments, EntryId last) {
    SegmentHeader lowest = segments.get(0).header();
    EntryId compacted = new EntryId(lowest.firstIndex() - 1, lowest.termBefore());
    return new LogView(List.copyOf(segments), compacted, last);
  }

  LogView withLast(EntryId id) {
    return new LogView(segments, compacted, id);
  }

  /** The segment that is written. */
  Segment active() {
    return segments.get(segments.size() - 1);
  }

  void checkReadable(long from, long to) {
    if (from <= compacted.index()) {
      throw new CompactedException(from, compacted);
    }
    if (from >= to || to - 1 > last.index()) {
      throw new IllegalArgumentException(
          "no entries [" + from + ", " + to + ") in a log that ends with " + last);
    }
  }

  long term(long index) {
    return segments.get(position(index)).term(index);
  }

  /** Reads from one segment; see {@link Segment#read}. */
  long read(long from, long to, long bytesLeft, List<Entry> result) {
    int position = position(from);
    boolean sealed = position + 1 < segments.size();
    long stop = sealed ? Math.min(to, segments.get(position + 1).firstIndex()) : to;
    return segments.get(position).read(from, stop, bytesLeft, result);
  }

  private int position(long index) {
    int low = 0;
    int high = segments.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (segments.get(middle).firstIndex() <= index) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  List<SegmentInfo> infos() {
    List<SegmentInfo> infos = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      boolean sealed = i + 1 < segments.size();
      long lastIndex = sealed ? segments.get(i + 1).firstIndex() - 1 : last.index();
      int bytes = segment.header().bytes();
      infos.add(new SegmentInfo(segment.name(), segment.firstIndex(), lastIndex, bytes, sealed));
    }
    return infos;
  }

  /** How many segments hold nothing behind {@code index}; never the last one. */
  int removable(long index) {
    int count = 0;
    while (count + 1 < segments.size() && segments.get(count + 1).firstIndex() <= index + 1) {
      count++;
    }
    return count;
  }
}
