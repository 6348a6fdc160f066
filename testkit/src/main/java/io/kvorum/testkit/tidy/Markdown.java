package io.kvorum.testkit.tidy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** As much of Markdown as the rules need: what is code, what is a link, what is a heading. */
final class Markdown {
  private static final Pattern FENCE = Pattern.compile("\\s*(```|~~~).*");
  private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(<?([^)\\s>]+)>?[^)]*\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)[ #]*");

  private Markdown() {}

  /**
   * A piece of a document.
   *
   * @param line from 1
   */
  record Piece(int line, String text) {}

  /** What stands between backticks within a line of prose. */
  static List<Piece> spans(TextFile file) {
    List<Piece> spans = new ArrayList<>();
    for (Piece line : prose(file)) {
      SPAN.matcher(line.text())
          .results()
          .forEach(span -> spans.add(new Piece(line.line(), span.group(1))));
    }
    return spans;
  }

  /** Where links and images in prose point to, as written. */
  static List<Piece> linkTargets(TextFile file) {
    List<Piece> targets = new ArrayList<>();
    for (Piece line : prose(file)) {
      LINK.matcher(withoutSpans(line.text()))
          .results()
          .forEach(link -> targets.add(new Piece(line.line(), link.group(1))));
    }
    return targets;
  }

  /** The names by which a link can point to a heading, as GitHub makes them. */
  static Set<String> anchors(TextFile file) {
    Set<String> anchors = new HashSet<>();
    for (Piece line : prose(file)) {
      Matcher heading = HEADING.matcher(line.text());
      if (heading.matches()) {
        anchors.add(anchor(heading.group(1)));
      }
    }
    return anchors;
  }

  static String withoutSpans(String line) {
    return SPAN.matcher(line).replaceAll("``");
  }

  private static String anchor(String heading) {
    return heading
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }

  private static List<Piece> prose(TextFile file) {
    List<Piece> prose = new ArrayList<>();
    boolean fenced = false;
    for (int i = 0; i < file.lines().size(); i++) {
      String line = file.lines().get(i);
      if (FENCE.matcher(line).matches()) {
        fenced = !fenced;
      } else if (!fenced) {
        prose.add(new Piece(i + 1, line));
      }
    }
    return prose;
  }
}
