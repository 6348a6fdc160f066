package io.kvorum.testkit.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What the build files must say. */
final class Poms {
  /** Later versions carry terms of use that this project does not accept. */
  static final String JQWIK_VERSION = "1.9.3";

  private static final String JQWIK_PROPERTY = "${jqwik.version}";
  private static final Pattern PROPERTY =
      Pattern.compile("<jqwik\\.version>\\s*(.*?)\\s*</jqwik\\.version>");
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>(?:(?!</dependency>).)*</dependency>", Pattern.DOTALL);
  private static final Pattern VERSION = Pattern.compile("<version>\\s*(.*?)\\s*</version>");
  private static final Pattern PARENT =
      Pattern.compile("<project.*<artifactId>kvorum</artifactId>.*<modules>.*", Pattern.DOTALL);

  private Poms() {}

  static boolean isParent(Path pom) {
    try {
      return Files.isRegularFile(pom) && PARENT.matcher(Files.readString(pom)).find();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + pom, e);
    }
  }

  static void jqwikVersion(SourceTree tree, Rule.Report report) {
    for (TextFile pom : tree.texts()) {
      if (!pom.path().endsWith("pom.xml")) {
        continue;
      }
      PROPERTY
          .matcher(pom.text())
          .results()
          .filter(property -> !property.group(1).equals(JQWIK_VERSION))
          .forEach(property -> add(report, pom, property.start(), property.group(1)));
      DEPENDENCY
          .matcher(pom.text())
          .results()
          .filter(dependency -> dependency.group().contains("<groupId>net.jqwik</groupId>"))
          .forEach(dependency -> version(report, pom, dependency));
    }
  }

  private static void version(Rule.Report report, TextFile pom, MatchResult dependency) {
    VERSION
        .matcher(dependency.group())
        .results()
        .map(version -> version.group(1))
        .filter(version -> !version.equals(JQWIK_VERSION) && !version.equals(JQWIK_PROPERTY))
        .forEach(version -> add(report, pom, dependency.start(), version));
  }

  private static void add(Rule.Report report, TextFile pom, int position, String version) {
    int line = 1 + (int) pom.text().substring(0, position).chars().filter(c -> c == '\n').count();
    report.add(pom.path(), line, "jqwik " + version + ", pinned is " + JQWIK_VERSION);
  }
}
