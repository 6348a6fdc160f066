package io.kvorum.bench.peer.kvorum;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Another checkout of Kvorum, which is built. */
public final class Checkout {
  /** Where a build leaves the jars. Every build renews the first; so it is never the older one. */
  private static final List<String> LIBRARIES =
      List.of("kv-cli/target/dist/lib", "benchmarks/target/dist/lib");

  /** Without it there is nothing to run in a folder. */
  private static final String JAR = "kv-cli-*.jar";

  private Checkout() {}

  /**
   * The folder of its jars.
   *
   * @param root of the checkout
   * @param own where this build's classes of the benchmarks lie
   * @throws IllegalArgumentException if it has none, or it is the checkout that we run from
   */
  public static Path libraries(Path root, Path own) {
    if (!Files.isDirectory(root)) {
      throw new IllegalArgumentException("--base wants a checkout of Kvorum; no folder " + root);
    }
    try {
      Path real = root.toRealPath();
      if (own.toRealPath().startsWith(real.resolve("benchmarks"))) {
        throw new IllegalArgumentException(
            "--base wants another checkout of Kvorum, not the one that is compared: " + root);
      }
      for (String folder : LIBRARIES) {
        if (hasJar(real.resolve(folder))) {
          return real.resolve(folder);
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot read " + root, failed);
    }
    throw new IllegalArgumentException(
        "--base wants a checkout that is built: no "
            + JAR
            + " in "
            + String.join(" or ", LIBRARIES)
            + " of "
            + root
            + "; ./kvorum --help there builds it");
  }

  private static boolean hasJar(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (var jars = Files.newDirectoryStream(folder, JAR)) {
      return jars.iterator().hasNext();
    }
  }
}
