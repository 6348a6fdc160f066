package io.kvorum.testkit.tidy;

import com.sun.source.tree.CatchTree;
import com.sun.source.util.TreeScanner;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Errors are neither swallowed nor caught wholesale without a reason. */
final class Catches {
  private static final Pattern THROWABLE = Pattern.compile("(java\\.lang\\.)?Throwable");

  /** Begins like a sentence and has at least three words. */
  private static final Pattern SENTENCE = Pattern.compile("// \\p{Lu}\\S*( \\S+){2,}");

  private Catches() {}

  static void empty(SourceTree tree, Rule.Report report) {
    each(
        tree,
        (file, caught) -> {
          if (caught.getBlock().getStatements().isEmpty()) {
            report.add(file, file.startLine(caught), "does nothing about what it caught");
          }
        });
  }

  static void throwable(SourceTree tree, Rule.Report report) {
    each(
        tree,
        (file, caught) -> {
          boolean all = THROWABLE.matcher(caught.getParameter().getType().toString()).matches();
          int line = file.startLine(caught.getBlock());
          if (all && !isSentence(file, line + 1)) {
            report.add(file, line, "catches everything; say why in a sentence on the next line");
          }
        });
  }

  private static boolean isSentence(JavaFile file, int line) {
    return line <= file.source().lines().size()
        && SENTENCE.matcher(file.source().lines().get(line - 1).strip()).matches();
  }

  private static void each(SourceTree tree, BiConsumer<JavaFile, CatchTree> check) {
    for (JavaFile file : tree.javas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitCatch(CatchTree caught, @Nullable Void nothing) {
          check.accept(file, caught);
          return super.visitCatch(caught, null);
        }
      }.scan(file.unit(), null);
    }
  }
}
