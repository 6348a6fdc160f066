package io.kvorum.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The block device below a directory, by its numbers. What it has written is what really went to
 * the disk, of every process of the machine; what Linux counts for a process is more where a folio
 * of the page cache is large.
 *
 * @param major of the driver
 * @param minor of the device
 */
public record Device(int major, int minor) {
  private static final int SECTOR_BYTES = 512;

  /** The positions of the two numbers, and of the sectors written, in a line of diskstats. */
  private static final int MAJOR = 0;

  private static final int MINOR = 1;
  private static final int SECTORS_WRITTEN = 9;

  /** Below this directory. */
  public static Device of(Path directory) throws IOException {
    long number = (Long) Files.getAttribute(directory, "unix:dev");
    // As glibc's major() and minor() take it apart.
    int major = (int) ((number >>> 8 & 0xfff) | (number >>> 32 & ~0xfffL));
    int minor = (int) ((number & 0xff) | (number >>> 12 & ~0xffL));
    return new Device(major, minor);
  }

  /** Reads what {@link #toString} has written. */
  public static Device parse(String text) {
    String[] numbers = text.split(":", 2);
    return new Device(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
  }

  /**
   * Written since the machine was started; 0 if the kernel keeps no count of it, as of a file
   * system in memory.
   *
   * @param proc where the kernel shows itself
   */
  public long writtenBytes(Path proc) throws IOException {
    return writtenBytes(Files.readString(proc.resolve("diskstats")));
  }

  long writtenBytes(String diskstats) {
    for (String line : diskstats.lines().toList()) {
      String[] fields = line.strip().split("\\s+", -1);
      if (fields.length > SECTORS_WRITTEN
          && fields[MAJOR].equals(Integer.toString(major))
          && fields[MINOR].equals(Integer.toString(minor))) {
        return Long.parseLong(fields[SECTORS_WRITTEN]) * SECTOR_BYTES;
      }
    }
    return 0;
  }

  @Override
  public String toString() {
    return major + ":" + minor;
  }
}
