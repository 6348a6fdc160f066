package io.kvorum.server;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.log.CorruptLogException;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.RemovedException;
import io.kvorum.raft.InvariantViolation;
import java.io.Closeable;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node as a process of its own: starts it, says when it is ready, and with what code it ends. */
public final class KvServer {
  private static final Logger LOG = LoggerFactory.getLogger(KvServer.class);

  /** Closed by a signal, or by its parent. */
  public static final int EXIT_CLOSED = 0;

  /** The settings are wrong. */
  public static final int EXIT_USAGE = 2;

  /** The data directory is in use, another's, incomplete, damaged, or not the one others know. */
  public static final int EXIT_DATA_DIRECTORY = 6;

  /** A port cannot be used, or the disk fails. */
  public static final int EXIT_RESOURCE = 7;

  /** The node stopped itself: it could no longer keep its promises. */
  public static final int EXIT_FAILED = 8;

  /** The group has removed the node. */
  public static final int EXIT_REMOVED = 9;

  /** What the process does beside its node, and as long as that: see {@link #run}. */
  public interface Companion extends Closeable {
    /**
     * Begins, once the node has started.
     *
     * @throws UncheckedIOException if it cannot; the process ends then
     */
    void accompany(KvNode node);

    /** Ends; also what has not begun. */
    @Override
    void close();
  }

  private KvServer() {}

  /**
   * Runs a node until the process is told to end (by SIGTERM or SIGINT, through a shutdown hook
   * that closes the node) or the node stops itself.
   *
   * @param companion begins when the node has started, and is closed before it
   * @param out gets one line when the node serves clients: {@code ready node=… cluster=… clients=…
   *     peers=… data=…}
   * @param err gets one line that says what went wrong
   * @return the exit code
   */
  public static int run(
      ServerConfig config, Companion companion, PrintStream out, PrintStream err) {
    KvNode node;
    try {
      node = start(config, companion);
    } catch (DirectoryInUseException
        | DataDirectoryException
        | CorruptLogException
        | InvariantViolation refused) {
      err.println("kvorum: " + refused.getMessage());
      return EXIT_DATA_DIRECTORY;
    } catch (UncheckedIOException failed) {
      err.println("kvorum: " + failed.getMessage());
      return EXIT_RESOURCE;
    }
    Thread closer =
        new Thread(() -> close(node, companion), "kvorum-" + config.nodeId() + "-close");
    Runtime.getRuntime().addShutdownHook(closer);
    Member self = config.self();
    out.println(
        "ready node="
            + config.nodeId()
            + " cluster="
            + config.clusterId()
            + " clients="
            + self.clientEndpoint()
            + " peers="
            + self.host()
            + ":"
            + self.peerPort()
            + " data="
            + config.dataDirectory().toAbsolutePath());
    out.flush();
    Throwable failure = node.failure().join();
    companion.close();
    if (failure instanceof RemovedException removed) {
      err.println("kvorum: " + removed.getMessage());
      return EXIT_REMOVED;
    }
    err.println("kvorum: " + config.nodeId() + " has stopped itself: " + failure.getMessage());
    return failure instanceof DisownedException ? EXIT_DATA_DIRECTORY : EXIT_FAILED;
  }

  private static KvNode start(ServerConfig config, Companion companion) {
    KvNode node = KvNode.start(config);
    try {
      companion.accompany(node);
    } catch (UncheckedIOException failed) {
      node.close();
      throw failed;
    }
    return node;
  }

  private static void close(KvNode node, Companion companion) {
    LOG.info("told to end; closing");
    companion.close();
    try {
      node.close();
      LOG.info("closed");
    } catch (IllegalStateException notClosed) {
      // The process ends in any case; what was acknowledged is in the log.
      LOG.warn("the node did not close cleanly", notClosed);
    }
  }
}
