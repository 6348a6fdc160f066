package io.kvorum.testkit.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A class that a document names in backticks exists: in this tree, in its protocol files, or in the
 * JDK. So a document cannot go on speaking of what was renamed.
 */
final class DocumentedNames {
  /** Types of other projects that documents may name. */
  private static final Set<String> FOREIGN =
      Set.of("ByteBuf", "EventLoop", "Property", "RocksDB", "WriteBatch");

  /** A name alone, or the start of {@code Name.member}, {@code Name#member}, {@code Name(…)}. */
  private static final Pattern CLASS =
      Pattern.compile("@?([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(<.*>)?([.#(].*)?");

  private static final Pattern FILE =
      Pattern.compile("[\\w./-]*\\.(md|txt|hex|xml|json|ya?ml|properties|sh|proto|csv)");
  private static final Pattern PROTOCOL_TYPE =
      Pattern.compile("^\\s*(message|enum|service)\\s+(\\w+)", Pattern.MULTILINE);

  private DocumentedNames() {}

  static void check(SourceTree tree, Rule.Report report) {
    Set<String> known = declared(tree);
    known.addAll(FOREIGN);
    for (TextFile file : tree.documents()) {
      for (Markdown.Piece span : Markdown.spans(file)) {
        String name = className(span.text());
        if (name != null && !known.contains(name) && !JdkNames.SIMPLE.contains(name)) {
          report.add(file.path(), span.line(), name + " exists neither here nor in the JDK");
        }
      }
    }
  }

  private static @Nullable String className(String span) {
    Matcher matcher = CLASS.matcher(span.strip());
    boolean isFile = FILE.matcher(span).matches();
    return matcher.matches() && !isFile ? matcher.group(1) : null;
  }

  private static Set<String> declared(SourceTree tree) {
    Set<String> names = new HashSet<>();
    for (JavaFile file : tree.javas()) {
      new TreeScanner<@Nullable Void, @Nullable Void>() {
        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
          names.add(type.getSimpleName().toString());
          return super.visitClass(type, null);
        }
      }.scan(file.unit(), null);
    }
    for (TextFile file : tree.texts()) {
      if (file.endsWith(".proto")) {
        PROTOCOL_TYPE.matcher(file.text()).results().forEach(type -> names.add(type.group(2)));
      }
    }
    return names;
  }

  /** The types of the JDK's public packages, read only when a document needs them. */
  private static final class JdkNames {
    static final Set<String> SIMPLE = read();

    private static Set<String> read() {
      Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules");
      Set<String> names = new HashSet<>();
      for (String start : new String[] {"java.base/java", "java.logging/java", "java.sql/java"}) {
        try (Stream<Path> files = Files.walk(modules.resolve(start))) {
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith(".class") && !file.contains("$"))
              .forEach(file -> names.add(file.substring(0, file.length() - ".class".length())));
        } catch (IOException e) {
          throw new UncheckedIOException("cannot list the types of the JDK", e);
        }
      }
      return names;
    }
  }
}
