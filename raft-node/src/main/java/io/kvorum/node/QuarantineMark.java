package io.kvorum.node;

import io.kvorum.disk.Disk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code quarantine}: that the state in this data directory was found to be wrong, and by
 * what; and, once it has been rebuilt, that it once was. Beside it the directory {@code diverged}
 * keeps the last wrong state, as files of a snapshot, for whoever wants to know what was wrong.
 */
public final class QuarantineMark {
  static final String FILE = "quarantine";
  static final String EVIDENCE = "diverged";
  private static final String FORMAT = "kvorum-quarantine 1";

  /**
   * What the file says.
   *
   * @param isOpen whether the state has not been rebuilt
   * @param count how often the state was found to be wrong
   * @param last the newest of these times
   */
  public record Found(boolean isOpen, int count, Divergence last) {}

  private final Disk disk;

  /**
   * The mark of a data directory.
   *
   * @param disk the data directory
   */
  public QuarantineMark(Disk disk) {
    this.disk = disk;
  }

  /** What it says; null if the state was never found to be wrong. */
  public @Nullable Found find() {
    if (!disk.exists(FILE)) {
      return null;
    }
    List<String> lines = CheckedLines.read(disk, FILE, FORMAT);
    try {
      StateSum own = sum(value(lines, 3, "own"));
      return new Found(
          value(lines, 0, "state").equals("quarantined"),
          Integer.parseInt(value(lines, 1, "count")),
          new Divergence(
              Long.parseLong(value(lines, 2, "verdict")), own, sum(value(lines, 4, "agreed"))));
    } catch (IllegalArgumentException damaged) {
      throw new DataDirectoryException(
          disk.location() + "/" + FILE + " does not say what it should: " + damaged.getMessage());
    }
  }

  private static String value(List<String> lines, int at, String name) {
    String line = at < lines.size() ? lines.get(at) : "";
    if (!line.startsWith(name + " ")) {
      throw new IllegalArgumentException("no line \"" + name + "\"");
    }
    return line.substring(name.length() + 1);
  }

  private static StateSum sum(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("no sum: " + text);
    }
    return new StateSum(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), parts[2]);
  }

  /** From now on, durably, it says this. */
  void set(Found found) {
    CheckedLines.write(
        disk,
        FILE,
        FORMAT,
        List.of(
            "state " + (found.isOpen() ? "quarantined" : "rebuilt"),
            "count " + found.count(),
            "verdict " + found.last().verdictIndex(),
            "own " + text(found.last().own()),
            "agreed " + text(found.last().agreed())));
  }

  private static String text(StateSum sum) {
    return sum.index() + " " + sum.format() + " " + sum.hash();
  }

  /** An empty place for the wrong state; what an earlier one has left there goes. */
  Disk freshEvidence() {
    disk.deleteDirectory(EVIDENCE);
    return disk.directory(EVIDENCE);
  }

  /** Where the last wrong state is, if {@link #find} says that there was one. */
  public Disk evidence() {
    return disk.directory(EVIDENCE);
  }
}
