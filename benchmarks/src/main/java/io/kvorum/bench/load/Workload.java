package io.kvorum.bench.load;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What each client of a load does, over and over. */
public enum Workload {
  /** Puts a key of its own. */
  PUT,
  /** Reads any key, linearizably. */
  GET,
  /** Four reads of any key for each put of a key of its own. */
  MIXED,
  /** Sets a key of its own if that still holds what it should. */
  TXN,
  /** Puts a key of its own and waits until a watch of all keys has told of it. */
  WATCH;

  /** Of {@link #MIXED}, in each hundred. */
  static final int MIXED_READS_PERCENT = 80;

  /** As the command line and the results call it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The workload of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Workload parse(String text) {
    for (Workload workload : values()) {
      if (workload.text().equals(text)) {
        return workload;
      }
    }
    String all = Arrays.stream(values()).map(Workload::text).collect(Collectors.joining(", "));
    String hint =
        text.startsWith("ycsb-") ? "the YCSB mixes are not built yet" : "no such workload";
    throw new IllegalArgumentException(hint + ": " + text + "; there are " + all);
  }
}
