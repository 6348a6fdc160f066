package io.kvorum.cli.demo;

import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
import java.util.List;

/** The cluster that the demonstration maltreats. */
public interface DemoCluster {
  /** One client of all nodes, for the whole demonstration. */
  KvClient client();

  /** What the nodes say that answer. */
  List<NodeStatus> status();

  /** Starts the nodes that do not run, and does not wait. */
  void start();

  /**
   * Whether all nodes serve that were started.
   *
   * @throws DemoFailure if one of them has ended instead
   */
  boolean serves();

  /** Kills a node with SIGKILL; returns when it is gone. */
  void kill9(String node) throws InterruptedException;

  /** Kills all nodes with SIGKILL at once; returns when they are gone. */
  void kill9All() throws InterruptedException;
}
