package io.kvorum.testkit.tidy;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How large a file, a line, a method and its list of parameters may be. */
final class Sizes {
  static final int MAIN_LINES_MAX = 500;
  static final int TEST_LINES_MAX = 800;
  static final int METHOD_LINES_MAX = 60;
  static final int PARAMETERS_MAX = 6;
  static final int COLUMNS_MAX = 100;

  private static final Pattern CODE = Pattern.compile(".*\\.(java|proto|sh)|kvorum|\\.ci/run");

  /** An import cannot be broken; nor can an address in a comment. */
  private static final Pattern UNBREAKABLE =
      Pattern.compile("(import|package) .*;|\\W*(\\*|//|#|@see|<a)\\s*\\S*\\w+://\\S+\\W*");

  private Sizes() {}

  static void fileLength(SourceTree tree, Rule.Report report) {
    for (TextFile file : tree.texts()) {
      int linesMax = file.isTest() ? TEST_LINES_MAX : MAIN_LINES_MAX;
      int lines = file.lines().size();
      if (CODE.matcher(file.path().toString()).matches() && lines > linesMax) {
        report.add(file.path(), linesMax, lines + " lines, at most " + linesMax);
      }
    }
  }

  static void lineLength(SourceTree tree, Rule.Report report) {
    for (TextFile file : tree.texts()) {
      if (!CODE.matcher(file.path().toString()).matches()) {
        continue;
      }
      for (int i = 0; i < file.lines().size(); i++) {
        String line = file.lines().get(i);
        int columns = line.codePointCount(0, line.length());
        if (columns > COLUMNS_MAX && !UNBREAKABLE.matcher(line.strip()).matches()) {
          report.add(file.path(), i + 1, columns + " columns, at most " + COLUMNS_MAX);
        }
      }
    }
  }

  /** Constructors and initializers count as methods. Javadoc does not count, annotations do. */
  static void methodLength(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.javas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
          measure(method, method.getName() + "()");
          return super.visitMethod(method, null);
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
          for (Tree member : type.getMembers()) {
            if (member instanceof BlockTree) {
              measure(member, "an initializer");
            }
          }
          return super.visitClass(type, null);
        }

        private void measure(Tree tree, String name) {
          int lines = file.endLine(tree) - file.startLine(tree) + 1;
          if (lines > METHOD_LINES_MAX) {
            String what = name + " has " + lines + " lines, at most " + METHOD_LINES_MAX;
            report.add(file, file.startLine(tree), what);
          }
        }
      }.scan(file.unit(), null);
    }
  }

  /** Records list their components, and constructors wire parts together: both are exempt. */
  static void parameterCount(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.javas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
          int count = method.getParameters().size();
          if (method.getReturnType() != null && count > PARAMETERS_MAX) {
            String what = method.getName() + "() takes " + count + ", at most " + PARAMETERS_MAX;
            report.add(file, file.startLine(method), what);
          }
          return super.visitMethod(method, null);
        }
      }.scan(file.unit(), null);
    }
  }
}
