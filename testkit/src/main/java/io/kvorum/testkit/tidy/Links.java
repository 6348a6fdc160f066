package io.kvorum.testkit.tidy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** A link to another place in the repository leads there. */
final class Links {
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*");

  private Links() {}

  static void check(SourceTree tree, Rule.Report report) {
    for (TextFile file : tree.texts()) {
      if (file.endsWith(".md")) {
        Markdown.linkTargets(file).stream()
            .filter(target -> !ELSEWHERE.matcher(target.text()).matches())
            .filter(target -> !resolves(tree, file, target.text()))
            .forEach(
                target -> report.add(file.path(), target.line(), target.text() + " leads nowhere"));
      }
    }
  }

  private static boolean resolves(SourceTree tree, TextFile file, String target) {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path from = tree.root().resolve(file.path());
    Path to = path.isEmpty() ? from : from.resolveSibling(path).normalize();
    if (!to.startsWith(tree.root()) || !Files.exists(to)) {
      return false;
    }
    Optional<TextFile> document =
        tree.texts().stream()
            .filter(text -> text.endsWith(".md") && tree.root().resolve(text.path()).equals(to))
            .findAny();
    // Places inside other files than documents (line numbers in code) are not followed.
    return hash < 0
        || document.isEmpty()
        || Markdown.anchors(document.get()).contains(target.substring(hash + 1));
  }
}
