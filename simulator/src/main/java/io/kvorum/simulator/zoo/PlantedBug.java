package io.kvorum.simulator.zoo;

import java.util.ArrayList;
import java.util.List;

/**
 * A bug as an edit of the sources. The product knows nothing of it: there is no switch and no
 * branch, only another text to compile.
 *
 * <p>Its file says first what is wrong, then which faults of other systems it stands for, then what
 * to edit:
 *
 * <pre>
 * Who is voted for is not written to disk.
 * faults: F001
 * file: raft-core/src/main/java/io/kvorum/raft/RaftState.java
 * find:
 *       writes.change(new HardState(currentTerm, candidate));
 * replace:
 * end
 * </pre>
 *
 * @param name the name of its file, without the ending
 * @param title what is wrong
 * @param faults ids of the catalogue of faults, perhaps none
 * @param edits at least one
 */
record PlantedBug(String name, String title, String faults, List<Edit> edits) {
  /**
   * One replacement.
   *
   * @param file below the root of the source tree
   * @param find whole lines that occur there exactly once
   * @param replace what stands there instead
   */
  record Edit(String file, String find, String replace) {
    /**
     * The source with the bug in it.
     *
     * @throws IllegalStateException if {@code find} is not there exactly once: the source has moved
     *     on, and the bug has to follow
     */
    String applyTo(String source) {
      int at = source.indexOf(find);
      if (at < 0 || source.indexOf(find, at + 1) >= 0) {
        throw new IllegalStateException(
            file + (at < 0 ? " no longer contains:\n" : " contains more than once:\n") + find);
      }
      return source.substring(0, at) + replace + source.substring(at + find.length());
    }
  }

  PlantedBug {
    edits = List.copyOf(edits);
    if (edits.isEmpty()) {
      throw new IllegalArgumentException(name + ": a bug edits something");
    }
  }

  /**
   * Reads a bug's file.
   *
   * @throws IllegalArgumentException if the text has another shape
   */
  static PlantedBug parse(String name, String text) {
    return new Reader(name, text.lines().toList()).read();
  }

  /** Walks over the lines of a bug's file. */
  private static final class Reader {
    private final String name;
    private final List<String> lines;
    private int at;

    Reader(String name, List<String> lines) {
      this.name = name;
      this.lines = lines;
    }

    PlantedBug read() {
      String title = line("title");
      String faults = field("faults:");
      List<Edit> edits = new ArrayList<>();
      while (at < lines.size()) {
        String file = field("file:");
        expect("find:");
        String find = block("replace:");
        edits.add(new Edit(file, find, block("end")));
      }
      return new PlantedBug(name, title, faults, edits);
    }

    /** The lines up to the one that ends the block, which is passed over. */
    private String block(String end) {
      StringBuilder block = new StringBuilder();
      for (String next = line(end); !next.equals(end); next = line(end)) {
        block.append(next).append('\n');
      }
      return block.toString();
    }

    private String field(String label) {
      String line = line(label);
      if (!line.startsWith(label)) {
        throw malformed(label, line);
      }
      return line.substring(label.length()).strip();
    }

    private void expect(String label) {
      String line = line(label);
      if (!line.equals(label)) {
        throw malformed(label, line);
      }
    }

    private String line(String wanted) {
      if (at == lines.size()) {
        throw malformed(wanted, "the end");
      }
      return lines.get(at++);
    }

    private IllegalArgumentException malformed(String wanted, String found) {
      return new IllegalArgumentException(
          name + ".bug, line " + at + ": \"" + wanted + "\" expected, found \"" + found + "\"");
    }
  }
}
