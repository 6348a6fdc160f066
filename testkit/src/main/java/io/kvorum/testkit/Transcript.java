package io.kvorum.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The text form of {@link Golden#transcript}: reads the inputs, and fills in the outputs. */
final class Transcript {
  private static final String DIVIDER = "---";

  private Transcript() {}

  /** The text again, with each block's output replaced by what its input gives now. */
  static String replay(String name, String text, UnaryOperator<String> run) {
    StringBuilder replayed = new StringBuilder();
    int inputs = 0;
    for (List<String> block : blocks(text)) {
      int divider = block.indexOf(DIVIDER);
      List<String> head = divider < 0 ? block : block.subList(0, divider);
      String input = input(head);
      replayed.append(replayed.isEmpty() ? "" : "\n").append(String.join("\n", head)).append('\n');
      // A block of comments alone says something to the reader; there is nothing to run.
      if (input.isEmpty()) {
        continue;
      }
      inputs++;
      replayed.append(DIVIDER).append('\n').append(output(name, input, run));
    }
    if (inputs == 0) {
      throw new AssertionError(name + " holds no input: it would pass on nothing");
    }
    return replayed.toString();
  }

  private static List<List<String>> blocks(String text) {
    List<List<String>> blocks = new ArrayList<>();
    List<String> block = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (!line.isBlank()) {
        block.add(line);
      } else if (!block.isEmpty()) {
        blocks.add(block);
        block = new ArrayList<>();
      }
    }
    if (!block.isEmpty()) {
      blocks.add(block);
    }
    return blocks;
  }

  private static String input(List<String> head) {
    return String.join("\n", head.stream().filter(line -> !line.startsWith("#")).toList());
  }

  private static String output(String name, String input, UnaryOperator<String> run) {
    String output = run.apply(input).stripTrailing();
    if (output.isEmpty()) {
      return "";
    }
    if (output.lines().anyMatch(line -> line.isBlank() || line.equals(DIVIDER))) {
      throw new AssertionError(name + ": output with a blank line or a divider:\n" + output);
    }
    return output + "\n";
  }
}
