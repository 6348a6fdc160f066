package io.kvorum.server.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of {@link Table#REV} there are where a walk has passed, in parts: of each it is known
 * how many rows there are, and a sum over their places. So it is known when the last of them goes,
 * without reading them again: when what goes has the same number and the same sum. What goes and
 * was not there makes a sum wrong, and that part is never empty again; a wrong sum is right by
 * chance once in 2<sup>64</sup>.
 *
 * <p>Nothing is written between places that were walked. Used by one thread at a time.
 */
final class HistoryParts {
  /** Of stores with so many more rows that stay, the oldest parts are forgotten. */
  private static final int PARTS_MAX = 1 << 16;

  private static final class Part {
    private final long first;
    private long last;
    private int rows;
    private long sum;

    Part(long first) {
      this.first = first;
    }

    boolean isEmpty() {
      return rows == 0 && sum == 0;
    }
  }

  private final int rowsPerPart;
  private final List<Part> parts = new ArrayList<>();
  private long walkedTo = -1;
  private int rowsOfLast;

  HistoryParts(int rowsPerPart) {
    this.rowsPerPart = rowsPerPart;
  }

  /** The last place that was walked; before the first: -1. */
  long walkedTo() {
    return walkedTo;
  }

  /**
   * The walk has gone on.
   *
   * @param places of all rows there, in order; those that it has passed before do not count
   */
  void walked(EventPlaces places) {
    for (int i = 0; i < places.size(); i++) {
      if (places.place(i) > walkedTo) {
        walked(places.place(i));
      }
    }
    if (parts.size() > PARTS_MAX) {
      parts.subList(0, parts.size() - PARTS_MAX).clear();
    }
  }

  private void walked(long place) {
    if (parts.isEmpty() || rowsOfLast == rowsPerPart) {
      parts.add(new Part(place));
      rowsOfLast = 0;
    }
    Part part = parts.get(parts.size() - 1);
    part.last = place;
    part.rows++;
    part.sum += mixed(place);
    rowsOfLast++;
    walkedTo = place;
  }

  /**
   * Rows go.
   *
   * @param places in order, each once
   * @return the ranges in which there are no others
   */
  List<RowRange> remove(EventPlaces places) {
    List<RowRange> emptied = new ArrayList<>();
    List<Part> kept = new ArrayList<>();
    Part begin = null;
    Part end = null;
    int next = 0;
    for (Part part : parts) {
      next = remove(part, places, next);
      if (part.isEmpty()) {
        begin = begin == null ? part : begin;
        end = part;
      } else {
        add(emptied, begin, end);
        begin = null;
        kept.add(part);
      }
    }
    add(emptied, begin, end);
    parts.clear();
    parts.addAll(kept);
    // The last one may be gone: what is walked next is in another.
    rowsOfLast = rowsPerPart;
    return emptied;
  }

  /** Returns which place is the first behind the part, counted from one that is not behind it. */
  private static int remove(Part part, EventPlaces places, int from) {
    int next = from;
    while (next < places.size() && places.place(next) < part.first) {
      next++;
    }
    while (next < places.size() && places.place(next) <= part.last) {
      part.rows--;
      part.sum -= mixed(places.place(next));
      next++;
    }
    return next;
  }

  private static void add(List<RowRange> ranges, @Nullable Part begin, @Nullable Part end) {
    if (begin != null && end != null) {
      ranges.add(new RowRange(EventPlaces.key(begin.first), EventPlaces.key(end.last)));
    }
  }

  /** Spreads what differs a little over all bits (the last step of MurmurHash3). */
  private static long mixed(long place) {
    long bits = place;
    bits = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
    bits = (bits ^ (bits >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return bits ^ (bits >>> 33);
  }
}
