package io.kvorum.testkit.tidy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Words that have no place in a text that others read. */
final class Words {
  /** The bracketed letters keep a pattern from finding itself in this file. */
  private static final Pattern LEFT_OVER = Pattern.compile("\\b(T[O]DO|F[I]XME|X[X]X)\\b");

  private static final Pattern MACHINE_PATH =
      Pattern.compile("(?<![\\w.<*/}~-])(/[w]ork/|/[t]mp/wt|/[r]oot\\b)");
  private static final Pattern REGISTRY_HOST =
      Pattern.compile("\\b([m]aven\\.org|[d]ebian\\.org|[n]pmjs)\\b");

  private Words() {}

  /** A document may name the mark, as code; it may not bear it. */
  static void leftOvers(SourceTree tree, Rule.Report report) {
    for (TextFile file : tree.texts()) {
      for (int i = 0; i < file.lines().size(); i++) {
        String line = file.lines().get(i);
        String text = file.endsWith(".md") ? Markdown.withoutSpans(line) : line;
        if (LEFT_OVER.matcher(text).find()) {
          report.add(file.path(), i + 1, "an unfinished thought; do it or file it");
        }
      }
    }
  }

  static void machinePaths(SourceTree tree, Rule.Report report) {
    each(tree, MACHINE_PATH, "a path of one machine", report);
  }

  static void registryHosts(SourceTree tree, Rule.Report report) {
    each(
        tree,
        REGISTRY_HOST,
        "a registry; where packages come from is the user's own setting",
        report);
  }

  private static void each(SourceTree tree, Pattern pattern, String what, Rule.Report report) {
    for (TextFile file : tree.texts()) {
      for (int i = 0; i < file.lines().size(); i++) {
        Matcher matcher = pattern.matcher(file.lines().get(i));
        if (matcher.find()) {
          report.add(file.path(), i + 1, what + ": " + matcher.group());
        }
      }
    }
  }
}
