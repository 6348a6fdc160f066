package io.kvorum.testkit.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * All text of the repository, read once: everything but what a build or an editor puts there.
 *
 * @param root its absolute path
 * @param texts every text file, Java files among them
 * @param javas the Java files, parsed
 */
record SourceTree(Path root, List<TextFile> texts, List<JavaFile> javas) {
  private static final Set<String> DOT_NAMES_READ =
      Set.of(".ci", ".mvn", ".github", ".gitignore", ".gitattributes", ".editorconfig");
  private static final Pattern TEXT_NAME =
      Pattern.compile(
          ".*\\.(java|proto|md|xml|ya?ml|properties|sh|txt|hex|golden|json|csv|html|css|js|config)"
              + "|\\.git\\w+|\\.editorconfig|LICENSE|NOTICE|kvorum|run");

  static SourceTree read(Path root) {
    Path absolute = root.toAbsolutePath().normalize();
    try {
      Reader reader = new Reader(absolute);
      Files.walkFileTree(absolute, reader);
      reader.texts.sort((a, b) -> a.path().compareTo(b.path()));
      return new SourceTree(absolute, reader.texts, parse(absolute, reader.texts));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the tree at " + absolute, e);
    }
  }

  List<JavaFile> mainJavas() {
    return javas.stream().filter(JavaFile::isMain).toList();
  }

  List<JavaFile> testJavas() {
    return javas.stream().filter(JavaFile::isTest).toList();
  }

  /** Documents that speak of the code as it is; the change log speaks of what it was. */
  List<TextFile> documents() {
    return texts.stream()
        .filter(text -> text.endsWith(".md") && !text.endsWith("CHANGELOG.md"))
        .toList();
  }

  /** Parses without resolving, so the tree need not compile, only be Java. */
  private static List<JavaFile> parse(Path root, List<TextFile> texts) throws IOException {
    Map<Path, TextFile> sources = new HashMap<>();
    for (TextFile text : texts) {
      if (text.endsWith(".java")) {
        sources.put(root.resolve(text.path()), text);
      }
    }
    if (sources.isEmpty()) {
      return List.of();
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    List<JavaFile> javas = new ArrayList<>();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8)) {
      var units = files.getJavaFileObjectsFromPaths(sources.keySet());
      var options = List.of("-proc:none");
      var task = (JavacTask) compiler.getTask(null, files, problems, options, null, units);
      DocTrees trees = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        TextFile source = sources.get(Path.of(unit.getSourceFile().toUri()));
        if (source == null) {
          throw new IllegalStateException("parsed a file nobody read: " + unit.getSourceFile());
        }
        javas.add(new JavaFile(source, unit, trees));
      }
    }
    if (!problems.getDiagnostics().isEmpty()) {
      throw new IllegalStateException("cannot parse: " + problems.getDiagnostics());
    }
    javas.sort((a, b) -> a.path().compareTo(b.path()));
    return javas;
  }

  /** Collects the text files below the root. */
  private static final class Reader extends SimpleFileVisitor<Path> {
    private final Path root;
    private final List<TextFile> texts = new ArrayList<>();

    Reader(Path root) {
      this.root = root;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      String name = directory.getFileName().toString();
      boolean skipped =
          name.equals("target") || (name.startsWith(".") && !DOT_NAMES_READ.contains(name));
      return skipped && !directory.equals(root)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (attributes.isRegularFile()
          && TEXT_NAME.matcher(file.getFileName().toString()).matches()) {
        texts.add(new TextFile(root.relativize(file), Files.readString(file)));
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
