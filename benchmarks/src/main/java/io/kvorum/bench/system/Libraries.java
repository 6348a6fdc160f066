package io.kvorum.bench.system;

import io.kvorum.bench.load.ClientMain;
import io.kvorum.node.SystemClock;
import io.kvorum.testkit.linearizability.LinearizabilityChecker;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Class paths. Each peer has its own libraries, in the versions it was released with, and of ours
 * only the harness: neither Kvorum nor another peer decides which Netty or protobuf it runs on.
 */
public final class Libraries {
  private static final List<Class<?>> HARNESS =
      List.of(ClientMain.class, Histogram.class, SystemClock.class, LinearizabilityChecker.class);

  private final Path peers;

  /**
   * @param peers where the libraries of each peer lie, in a folder of its name
   */
  public Libraries(Path peers) {
    this.peers = peers;
  }

  /** What this process runs with: the harness, and Kvorum as it is released. */
  public static String own() {
    return System.getProperty("java.class.path");
  }

  /**
   * The harness and a peer.
   *
   * @throws IllegalArgumentException if its libraries are not there
   */
  public String of(String peer) {
    Path folder = peers.resolve(peer);
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("the libraries of " + peer + " are not in " + folder);
    }
    return Stream.concat(
            HARNESS.stream().map(type -> locationOf(type).toString()).distinct(),
            Stream.of(folder.resolve("*").toString()))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Where a class was loaded from: a jar, or a folder of classes. */
  public static Path locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new AssertionError("the place of a class is a URI", impossible);
    }
  }

  /** The command that runs a main class in another JVM of this kind. */
  public static List<String> java(
      List<String> options, String classPath, Class<?> main, List<String> arguments) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return Stream.of(
            Stream.of(java),
            options.stream(),
            Stream.of("-cp", classPath, main.getName()),
            arguments.stream())
        .flatMap(part -> part)
        .toList();
  }
}
