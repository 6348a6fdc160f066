package io.kvorum.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What processes have used of the machine since they were started, as Linux counts it.
 *
 * @param cpuMicros of all of them, in user and kernel mode
 * @param writtenBytes handed to the disks on their behalf; a written mapping counts in whole folios
 * @param peakRssBytes of the largest of them
 */
public record Usage(long cpuMicros, long writtenBytes, long peakRssBytes) {
  /** Linux shows times to programs in hundredths of a second, whatever its own ticks are. */
  private static final long TICK_MICROS = 10_000;

  private static final Pattern WRITTEN = Pattern.compile("(?m)^write_bytes: (\\d+)$");
  private static final Pattern PEAK = Pattern.compile("(?m)^VmHWM:\\s+(\\d+) kB$");

  /** The position of user time among the fields of stat that follow the name. */
  private static final int USER_TIME = 11;

  /**
   * Of these processes, now.
   *
   * @param proc where the kernel shows its processes
   * @throws IOException if one of them has ended
   */
  public static Usage of(Path proc, Collection<Long> pids) throws IOException {
    Usage sum = new Usage(0, 0, 0);
    for (long pid : pids) {
      Path process = proc.resolve(Long.toString(pid));
      Usage one =
          parse(
              Files.readString(process.resolve("stat")),
              Files.readString(process.resolve("io")),
              Files.readString(process.resolve("status")));
      sum = sum.plus(one);
    }
    return sum;
  }

  static Usage parse(String stat, String io, String status) {
    // The name stands in parentheses and may hold anything, parentheses too.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[USER_TIME + 1]);
    return new Usage(ticks * TICK_MICROS, number(WRITTEN, io), number(PEAK, status) << 10);
  }

  private static long number(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IllegalArgumentException("no " + pattern + " in: " + text);
    }
    return Long.parseLong(matcher.group(1));
  }

  private Usage plus(Usage other) {
    return new Usage(
        cpuMicros + other.cpuMicros,
        writtenBytes + other.writtenBytes,
        Math.max(peakRssBytes, other.peakRssBytes));
  }

  /** What was used from an earlier look to this one; the peak is the later one. */
  public Usage since(Usage earlier) {
    return new Usage(
        cpuMicros - earlier.cpuMicros, writtenBytes - earlier.writtenBytes, peakRssBytes);
  }
}
