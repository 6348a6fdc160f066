package io.kvorum.testkit;

import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * The module that a test class was compiled in, found by where its class file lies, so that tests
 * run the same from Maven and from an editor.
 *
 * @param directory the module's own directory
 */
record TestModule(Path directory) {

  static TestModule of(Class<?> test) {
    try {
      var source = test.getProtectionDomain().getCodeSource();
      Path classes = source == null ? null : Path.of(source.getLocation().toURI());
      if (classes == null || !classes.endsWith(Path.of("target", "test-classes"))) {
        throw new IllegalArgumentException(test + " is no test class of a module: " + classes);
      }
      return new TestModule(classes.resolve("../..").normalize());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("where " + test + " was loaded from is no path", e);
    }
  }

  Path resources() {
    return directory.resolve("src/test/resources");
  }

  Path target() {
    return directory.resolve("target");
  }
}
