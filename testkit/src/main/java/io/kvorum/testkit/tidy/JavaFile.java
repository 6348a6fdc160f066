package io.kvorum.testkit.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import java.nio.file.Path;

/**
 * A Java file with its syntax tree; names in it are not resolved.
 *
 * @param source the text
 * @param unit the whole file, parsed
 * @param trees positions and Javadoc of the same parse
 */
record JavaFile(TextFile source, CompilationUnitTree unit, DocTrees trees) {

  Path path() {
    return source.path();
  }

  String module() {
    return source.top();
  }

  String name() {
    return source.path().getFileName().toString();
  }

  boolean isMain() {
    return source.isMain();
  }

  boolean isTest() {
    return source.isTest();
  }

  /** The line, from 1, on which this part of the file begins; its Javadoc does not count. */
  int startLine(Tree tree) {
    return lineOf(positions().getStartPosition(unit, tree));
  }

  /** The line, from 1, on which this part of the file ends. */
  int endLine(Tree tree) {
    return lineOf(positions().getEndPosition(unit, tree) - 1);
  }

  boolean hasJavadoc(Tree type) {
    String comment = trees.getDocComment(TreePath.getPath(unit, type));
    return comment != null && !comment.isBlank();
  }

  private int lineOf(long position) {
    return position < 0 ? 1 : (int) unit.getLineMap().getLineNumber(position);
  }

  private SourcePositions positions() {
    return trees.getSourcePositions();
  }
}
