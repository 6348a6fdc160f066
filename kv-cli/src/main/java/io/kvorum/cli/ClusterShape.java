package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Properties;
import java.util.random.RandomGenerator;

/**
 * What {@code up} remembers of the cluster in a directory.
 *
 * @param nodes how many; fixed once the directory holds data
 * @param clusterId chosen at random for each directory, so that a node of one never talks to one of
 *     another that had the same ports before
 */
record ClusterShape(int nodes, String clusterId) {
  private static final String FILE = "up.properties";

  /**
   * Reads the shape that the directory has, or gives it one.
   *
   * @param wanted how many nodes were asked for; 0: as many as there are
   * @throws CommandFailure if the directory has another number of nodes, or cannot be used
   */
  static ClusterShape open(Path directory, int wanted, int nodesDefault, RandomGenerator random)
      throws IOException {
    Path file = directory.resolve(FILE);
    if (Files.exists(file)) {
      return existing(file, wanted);
    }
    refuseForeign(directory);
    String id = "up-" + HexFormat.of().toHexDigits(random.nextLong());
    ClusterShape made = new ClusterShape(wanted == 0 ? nodesDefault : wanted, id);
    Files.createDirectories(directory);
    Properties content = new Properties();
    content.setProperty("nodes", Integer.toString(made.nodes()));
    content.setProperty("cluster-id", made.clusterId());
    try (Writer writer = Files.newBufferedWriter(file, UTF_8)) {
      content.store(writer, "Written by kvorum up: the cluster whose data is in this directory");
    }
    return made;
  }

  private static ClusterShape existing(Path file, int wanted) throws IOException {
    Properties content = new Properties();
    try (Reader reader = Files.newBufferedReader(file, UTF_8)) {
      content.load(reader);
    }
    String nodes = content.getProperty("nodes", "");
    String clusterId = content.getProperty("cluster-id", "");
    if (!nodes.matches("[1-9]") || clusterId.isBlank()) {
      throw CommandFailure.local(file + " is damaged: it must hold nodes=1..9 and cluster-id");
    }
    int has = Integer.parseInt(nodes);
    if (wanted != 0 && wanted != has) {
      throw CommandFailure.local(
          file.getParent()
              + " holds a cluster of "
              + has
              + " nodes, not "
              + wanted
              + "; choose another --dir, or leave out --nodes");
    }
    return new ClusterShape(has, clusterId);
  }

  /** Whatever else lies there is not ours to mix with. */
  private static void refuseForeign(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.local(directory + " is no directory");
    }
    try (var content = Files.list(directory)) {
      if (content.findAny().isPresent()) {
        throw CommandFailure.local(
            directory + " is not empty and holds no cluster of up; choose another --dir");
      }
    }
  }
}
