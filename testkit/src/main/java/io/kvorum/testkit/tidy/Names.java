package io.kvorum.testkit.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Words that say nothing about what a type is, so they do not stand in its name. */
final class Names {
  private static final Set<String> WORDS = Set.of("Impl", "Manager", "Helper", "Util", "Utils");
  private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");
  private static final Pattern INTERFACE_LETTER = Pattern.compile("I[A-Z][a-z].*");

  private Names() {}

  static void check(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.javas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
          String name = type.getSimpleName().toString();
          String wrong = wrong(name, type.getKind() == Tree.Kind.INTERFACE);
          if (wrong != null) {
            report.add(file, file.startLine(type), name + " " + wrong);
          }
          return super.visitClass(type, null);
        }
      }.scan(file.unit(), null);
    }
  }

  private static @Nullable String wrong(String name, boolean isInterface) {
    List<String> words = List.of(WORD_START.split(name));
    for (String word : words) {
      if (WORDS.contains(word)) {
        return "is named by the empty word " + word;
      }
    }
    if (words.size() > 1 && words.get(0).equals("Abstract")) {
      return "is named for being abstract, not for what it is";
    }
    return isInterface && INTERFACE_LETTER.matcher(name).matches()
        ? "is an interface with the letter I before its name"
        : null;
  }
}
