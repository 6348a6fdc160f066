package io.kvorum.testkit.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** Every package says that null is the exception, and every type says what it is. */
final class Docs {
  private Docs() {}

  static void nullMarked(SourceTree tree, Rule.Report report) {
    Set<Path> packages = new TreeSet<>();
    Set<Path> marked = new TreeSet<>();
    for (JavaFile file : tree.mainJavas()) {
      packages.add(file.path().getParent());
      if (file.name().equals("package-info.java") && isNullMarked(file.unit().getPackage())) {
        marked.add(file.path().getParent());
      }
    }
    packages.removeAll(marked);
    for (Path missing : packages) {
      report.add(missing.resolve("package-info.java"), 1, "no package-info with @NullMarked");
    }
  }

  /** Types at the top of their file, public or not: the reader meets both. */
  static void typeJavadoc(SourceTree tree, Rule.Report report) {
    for (JavaFile file : tree.mainJavas()) {
      for (Tree type : file.unit().getTypeDecls()) {
        if (type instanceof ClassTree named && !file.hasJavadoc(type)) {
          report.add(file, file.startLine(type), named.getSimpleName() + " has no Javadoc");
        }
      }
    }
  }

  private static boolean isNullMarked(PackageTree declared) {
    return declared.getAnnotations().stream()
        .map(annotation -> annotation.getAnnotationType().toString())
        .anyMatch(name -> name.equals("NullMarked") || name.endsWith(".NullMarked"));
  }
}
