package io.kvorum.testkit.tidy;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Time and chance come in by constructor arguments, so that a seed decides everything in a test.
 * Exempt is testkit, whose waits are measured on the real clock and whose seeds come from nowhere.
 */
final class Purity {
  private static final Set<String> EXEMPT_MODULES = Set.of("testkit");
  private static final String CLOCK_FILE = "SystemClock.java";

  /** Who may build the unpredictable default of a constructor argument. */
  private static final Set<String> SECURE_RANDOM_MODULES =
      Set.of("raft-node", "kv-client", "kv-server", "kv-cli");

  private static final Pattern CLOCK =
      Pattern.compile(
          "(.*\\.)?(System\\.(nanoTime|currentTimeMillis)|Instant\\.now|Year\\.now"
              + "|(Local|Zoned|Offset)(Date|Time|DateTime)\\.now|Clock\\.(system|tick)\\w*)");
  private static final Pattern CHANCE =
      Pattern.compile(
          "(.*\\.)?(Math\\.random|ThreadLocalRandom\\.current|UUID\\.randomUUID"
              + "|RandomGenerator\\.(getDefault|of)|Collections\\.shuffle)");
  private static final Set<String> SELF_SEEDED = Set.of("Random", "SplittableRandom");

  private Purity() {}

  static void clock(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.mainJavas()) {
      if (!EXEMPT_MODULES.contains(file.module()) && !file.name().equals(CLOCK_FILE)) {
        new ClockCalls(file, report).scan(file.unit(), null);
      }
    }
  }

  static void chance(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.mainJavas()) {
      if (!EXEMPT_MODULES.contains(file.module())) {
        new ChanceCalls(file, report).scan(file.unit(), null);
      }
    }
  }

  /** The text after {@code new}, without package and type arguments. */
  private static String simpleName(ExpressionTree type) {
    String name = type.toString().replaceFirst("<.*", "");
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Looks for the clock in calls, method references and static imports. */
  private static final class ClockCalls extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final JavaFile file;
    private final Rule.Report report;

    ClockCalls(JavaFile file, Rule.Report report) {
      this.file = file;
      this.report = report;
    }

    @Override
    public @Nullable Void visitMemberSelect(MemberSelectTree select, @Nullable Void nothing) {
      look(select, select.toString());
      return super.visitMemberSelect(select, null);
    }

    @Override
    public @Nullable Void visitMemberReference(
        MemberReferenceTree reference, @Nullable Void nothing) {
      look(reference, reference.getQualifierExpression() + "." + reference.getName());
      return super.visitMemberReference(reference, null);
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree created, @Nullable Void nothing) {
      if (created.getArguments().isEmpty() && simpleName(created.getIdentifier()).equals("Date")) {
        report.add(file, file.startLine(created), "reads the clock: new Date()");
      }
      return super.visitNewClass(created, null);
    }

    private void look(Tree tree, String name) {
      if (CLOCK.matcher(name).matches()) {
        report.add(file, file.startLine(tree), "reads the clock: " + name + "; take a Clock");
      }
    }
  }

  /** Looks for sources of chance that no seed decides. */
  private static final class ChanceCalls extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final JavaFile file;
    private final Rule.Report report;

    ChanceCalls(JavaFile file, Rule.Report report) {
      this.file = file;
      this.report = report;
    }

    @Override
    public @Nullable Void visitMemberSelect(MemberSelectTree select, @Nullable Void nothing) {
      look(select, select.toString());
      return super.visitMemberSelect(select, null);
    }

    @Override
    public @Nullable Void visitMemberReference(
        MemberReferenceTree reference, @Nullable Void nothing) {
      look(reference, reference.getQualifierExpression() + "." + reference.getName());
      return super.visitMemberReference(reference, null);
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree created, @Nullable Void nothing) {
      String name = simpleName(created.getIdentifier());
      if (SELF_SEEDED.contains(name) && created.getArguments().isEmpty()) {
        look(created, name, "has no seed");
      } else if (name.equals("SecureRandom") && !isArgumentDefault()) {
        look(created, name, "stands outside the default of a constructor argument");
      }
      return super.visitNewClass(created, null);
    }

    /** Whether the current expression is part of the arguments of a constructor call. */
    private boolean isArgumentDefault() {
      if (!SECURE_RANDOM_MODULES.contains(file.module())) {
        return false;
      }
      for (TreePath at = getCurrentPath().getParentPath(); at != null; at = at.getParentPath()) {
        Tree tree = at.getLeaf();
        if (tree instanceof NewClassTree || isConstructorCall(tree)) {
          return true;
        }
        if (tree instanceof MethodTree) {
          return false;
        }
      }
      return false;
    }

    private static boolean isConstructorCall(Tree tree) {
      return tree instanceof MethodInvocationTree call
          && call.getMethodSelect() instanceof IdentifierTree name
          && (name.getName().contentEquals("this") || name.getName().contentEquals("super"));
    }

    private void look(Tree tree, String name) {
      if (CHANCE.matcher(name).matches()) {
        look(tree, name, "takes chance from nowhere");
      }
    }

    private void look(Tree tree, String name, String what) {
      report.add(file, file.startLine(tree), name + " " + what + "; take a RandomGenerator");
    }
  }
}
