package io.kvorum.simulator.zoo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the sources that a bug edits, in memory, against the classes that run now. */
final class Planter {
  private final Path root;
  private final JavaCompiler compiler;

  /**
   * A planter for this checkout.
   *
   * @throws IllegalStateException if this Java has no compiler
   */
  Planter(Path root) {
    this.root = root;
    JavaCompiler found = ToolProvider.getSystemJavaCompiler();
    if (found == null) {
      throw new IllegalStateException("this is a JRE: planting bugs needs a JDK");
    }
    compiler = found;
  }

  /**
   * The classes that differ with the bug in them, by binary name.
   *
   * @throws IllegalStateException if the bug does not fit the sources, or does not compile
   */
  Map<String, byte[]> plant(PlantedBug bug) {
    Map<String, String> sources = new TreeMap<>();
    for (PlantedBug.Edit edit : bug.edits()) {
      String source = sources.computeIfAbsent(edit.file(), this::read);
      try {
        sources.put(edit.file(), edit.applyTo(source));
      } catch (IllegalStateException gone) {
        throw new IllegalStateException("bug " + bug.name() + ": " + gone.getMessage(), gone);
      }
    }
    return compile(bug, sources);
  }

  private String read(String file) {
    try {
      return Files.readString(root.resolve(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, byte[]> compile(PlantedBug bug, Map<String, String> sources) {
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((file, text) -> units.add(new Source(root.resolve(file).toUri(), text)));
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none",
            "-nowarn",
            "-cp",
            System.getProperty("java.class.path"),
            "--release",
            "17");
    try (StandardJavaFileManager files =
            compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        Outputs outputs = new Outputs(files)) {
      if (!compiler.getTask(messages, outputs, null, options, null, units).call()) {
        throw new IllegalStateException("bug " + bug.name() + " does not compile:\n" + messages);
      }
      return outputs.classes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A source that is not on disk as it stands here. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(URI uri, String text) {
      super(uri, Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Keeps what the compiler writes. */
  private static final class Outputs extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> written = new TreeMap<>();

    Outputs(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      written.put(className, bytes);
      URI uri = URI.create("memory:///" + className.replace('.', '/') + kind.extension);
      return new SimpleJavaFileObject(uri, kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }

    Map<String, byte[]> classes() {
      Map<String, byte[]> classes = new TreeMap<>();
      written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    }
  }
}
