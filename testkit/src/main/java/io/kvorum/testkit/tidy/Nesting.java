package io.kvorum.testkit.tidy;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.TreeScanner;
import org.jspecify.annotations.Nullable;

/**
 * How deep statements stand inside a method. Each branch, loop, switch, try, synchronized or bare
 * block, and each lambda with a block, is one level; so is none of: the method itself, a class, a
 * lambda that is one expression, an {@code else if}. A class inside a method starts anew.
 */
final class Nesting extends TreeScanner<@Nullable Void, @Nullable Void> {
  static final int DEPTH_MAX = 3;

  private final JavaFile file;
  private final Rule.Report report;
  private int depth;

  private Nesting(JavaFile file, Rule.Report report) {
    this.file = file;
    this.report = report;
  }

  static void check(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.javas()) {
      new Nesting(file, report).scan(file.unit(), null);
    }
  }

  @Override
  public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
    int outside = depth;
    depth = 0;
    super.visitClass(type, null);
    depth = outside;
    return null;
  }

  @Override
  public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
    if (method.getBody() != null) {
      scan(method.getBody().getStatements(), null);
    }
    return null;
  }

  @Override
  public @Nullable Void visitBlock(BlockTree block, @Nullable Void nothing) {
    return deeper(block, () -> scan(block.getStatements(), null));
  }

  @Override
  public @Nullable Void visitIf(IfTree branch, @Nullable Void nothing) {
    scan(branch.getCondition(), null);
    deeper(branch, () -> body(branch.getThenStatement()));
    StatementTree otherwise = branch.getElseStatement();
    if (otherwise instanceof IfTree) {
      return scan(otherwise, null);
    }
    return otherwise == null ? null : deeper(otherwise, () -> body(otherwise));
  }

  @Override
  public @Nullable Void visitForLoop(ForLoopTree loop, @Nullable Void nothing) {
    return deeper(loop, () -> body(loop.getStatement()));
  }

  @Override
  public @Nullable Void visitEnhancedForLoop(EnhancedForLoopTree loop, @Nullable Void nothing) {
    scan(loop.getExpression(), null);
    return deeper(loop, () -> body(loop.getStatement()));
  }

  @Override
  public @Nullable Void visitWhileLoop(WhileLoopTree loop, @Nullable Void nothing) {
    scan(loop.getCondition(), null);
    return deeper(loop, () -> body(loop.getStatement()));
  }

  @Override
  public @Nullable Void visitDoWhileLoop(DoWhileLoopTree loop, @Nullable Void nothing) {
    scan(loop.getCondition(), null);
    return deeper(loop, () -> body(loop.getStatement()));
  }

  @Override
  public @Nullable Void visitSwitch(SwitchTree choice, @Nullable Void nothing) {
    scan(choice.getExpression(), null);
    return deeper(choice, () -> scan(choice.getCases(), null));
  }

  @Override
  public @Nullable Void visitSwitchExpression(SwitchExpressionTree choice, @Nullable Void nothing) {
    scan(choice.getExpression(), null);
    return deeper(choice, () -> scan(choice.getCases(), null));
  }

  /** The braces after an arrow belong to the switch, as those after a colon would. */
  @Override
  public @Nullable Void visitCase(CaseTree chosen, @Nullable Void nothing) {
    scan(chosen.getStatements(), null);
    if (chosen.getBody() instanceof BlockTree block) {
      return scan(block.getStatements(), null);
    }
    return scan(chosen.getBody(), null);
  }

  @Override
  public @Nullable Void visitSynchronized(SynchronizedTree locked, @Nullable Void nothing) {
    return deeper(locked, () -> body(locked.getBlock()));
  }

  @Override
  public @Nullable Void visitTry(TryTree attempt, @Nullable Void nothing) {
    scan(attempt.getResources(), null);
    return deeper(
        attempt,
        () -> {
          body(attempt.getBlock());
          attempt.getCatches().forEach(caught -> body(caught.getBlock()));
          body(attempt.getFinallyBlock());
        });
  }

  @Override
  public @Nullable Void visitLambdaExpression(LambdaExpressionTree lambda, @Nullable Void nothing) {
    if (lambda.getBody() instanceof BlockTree block) {
      return deeper(lambda, () -> body(block));
    }
    return scan(lambda.getBody(), null);
  }

  /** What stands between a statement's own braces is one level down, not two. */
  private void body(@Nullable Tree statement) {
    if (statement instanceof BlockTree block) {
      scan(block.getStatements(), null);
    } else {
      scan(statement, null);
    }
  }

  private @Nullable Void deeper(Tree tree, Runnable inside) {
    depth++;
    // The first level too many says it all; what stands inside it would only repeat it.
    if (depth == DEPTH_MAX + 1) {
      report.add(file, file.startLine(tree), "nested " + depth + " deep, at most " + DEPTH_MAX);
    }
    inside.run();
    depth--;
    return null;
  }
}
