package io.kvorum.testkit.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.util.TreeScanner;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What makes tests slow, blind, or silent. */
final class TestHabits {
  private static final Pattern SLEEP =
      Pattern.compile("(.*\\.)?(Thread|TimeUnit\\.[A-Z]+|[A-Z]*SECONDS|MINUTES)\\.sleep|sleep");
  private static final Pattern MOCKS =
      Pattern.compile("(org\\.mockito|org\\.easymock|org\\.powermock|org\\.jmock|io\\.mockk)\\..*");
  private static final Set<String> DISABLED = Set.of("Disabled", "Ignore");

  private TestHabits() {}

  static void sleeps(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.testJavas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitMethodInvocation(
            MethodInvocationTree call, @Nullable Void nothing) {
          if (SLEEP.matcher(call.getMethodSelect().toString()).matches()) {
            report.add(file, file.startLine(call), "sleeps; wait for a condition with Await");
          }
          return super.visitMethodInvocation(call, null);
        }
      }.scan(file.unit(), null);
    }
  }

  static void mocks(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.testJavas()) {
      for (ImportTree imported : file.unit().getImports()) {
        String name = imported.getQualifiedIdentifier().toString();
        if (MOCKS.matcher(name).matches()) {
          report.add(file, file.startLine(imported), "mocks its neighbours: " + name);
        }
      }
    }
  }

  static void disabled(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.testJavas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitAnnotation(AnnotationTree annotation, @Nullable Void nothing) {
          String name = annotation.getAnnotationType().toString();
          if (DISABLED.contains(name.substring(name.lastIndexOf('.') + 1))) {
            report.add(file, file.startLine(annotation), "switched off; mend it or delete it");
          }
          return super.visitAnnotation(annotation, null);
        }
      }.scan(file.unit(), null);
    }
  }
}
