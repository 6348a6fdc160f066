package io.kvorum.testkit.tidy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the style of the whole tree, in all modules, with no list of exceptions: a rule that is in
 * the way is changed here, for everyone, or obeyed.
 */
public final class Tidy {
  private static final List<Rule> RULES =
      List.of(
          new Rule("file-length", Sizes::fileLength),
          new Rule("line-length", Sizes::lineLength),
          new Rule("method-length", Sizes::methodLength),
          new Rule("parameter-count", Sizes::parameterCount),
          new Rule("nesting", Nesting::check),
          new Rule("name", Names::check),
          new Rule("test-sleeps", TestHabits::sleeps),
          new Rule("test-mocks", TestHabits::mocks),
          new Rule("test-disabled", TestHabits::disabled),
          new Rule("clock", Purity::clock),
          new Rule("chance", Purity::chance),
          new Rule("empty-catch", Catches::empty),
          new Rule("catch-throwable", Catches::throwable),
          new Rule("null-marked", Docs::nullMarked),
          new Rule("javadoc", Docs::typeJavadoc),
          new Rule("left-over", Words::leftOvers),
          new Rule("machine-path", Words::machinePaths),
          new Rule("registry-host", Words::registryHosts),
          new Rule("class-in-docs", DocumentedNames::check),
          new Rule("link", Links::check),
          new Rule("jqwik-version", Poms::jqwikVersion));

  private Tidy() {}

  /** Every violation of every rule, by file and line. */
  public static List<Violation> check(Path root) {
    SourceTree tree = SourceTree.read(root);
    List<Violation> violations = new ArrayList<>();
    for (Rule rule : RULES) {
      violations.addAll(check(rule, tree));
    }
    violations.sort(Comparator.comparing(Violation::file).thenComparing(Violation::line));
    return violations;
  }

  /** The names of all rules, in the order in which they run. */
  public static List<String> rules() {
    return RULES.stream().map(Rule::name).toList();
  }

  /**
   * The root of the tree that the working directory is in: the directory that holds {@code .mvn}
   * and the parent {@code pom.xml}.
   */
  public static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (@Nullable Path at = start; at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve(".mvn")) && Poms.isParent(at.resolve("pom.xml"))) {
        return at;
      }
    }
    throw new IllegalStateException("not inside the source tree: " + start);
  }

  static List<Violation> check(Rule rule, SourceTree tree) {
    List<Violation> violations = new ArrayList<>();
    rule.check()
        .over(
            tree,
            (file, line, what) -> violations.add(new Violation(file, line, rule.name(), what)));
    return violations;
  }

  static Rule rule(String name) {
    return RULES.stream()
        .filter(rule -> rule.name().equals(name))
        .findAny()
        .orElseThrow(() -> new IllegalArgumentException("no rule " + name));
  }
}
