package io.kvorum.cli.demo;

import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
import io.kvorum.cli.process.LocalCluster;
import io.kvorum.cli.process.ServerProcess;
import io.kvorum.cli.process.ServerProcessException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Real processes on this machine. */
public final class ProcessDemoCluster implements DemoCluster {
  private final LocalCluster cluster;
  private final KvClient client;
  private final Function<String, CompletableFuture<NodeStatus>> statusOf;

  /**
   * Neither is closed here.
   *
   * @param statusOf asks the node behind an endpoint
   */
  public ProcessDemoCluster(
      LocalCluster cluster,
      KvClient client,
      Function<String, CompletableFuture<NodeStatus>> statusOf) {
    this.cluster = cluster;
    this.client = client;
    this.statusOf = statusOf;
  }

  @Override
  public KvClient client() {
    return client;
  }

  @Override
  public List<NodeStatus> status() {
    List<CompletableFuture<List<NodeStatus>>> asked = new ArrayList<>();
    for (String endpoint : cluster.endpoints()) {
      // A node that does not answer has no status; which one that is, its absence says.
      asked.add(statusOf.apply(endpoint).handle((s, down) -> s == null ? List.of() : List.of(s)));
    }
    return asked.stream().flatMap(answer -> answer.join().stream()).toList();
  }

  @Override
  public void start() {
    for (String name : cluster.names()) {
      if (!cluster.isRunning(name)) {
        ServerProcess unused = cluster.start(name);
      }
    }
  }

  @Override
  public boolean serves() {
    try {
      return cluster.names().stream().allMatch(name -> cluster.process(name).isReady());
    } catch (ServerProcessException ended) {
      throw new DemoFailure(ended.getMessage() + "; its log says why");
    }
  }

  @Override
  public void kill9(String node) throws InterruptedException {
    cluster.kill9(node);
  }

  @Override
  public void kill9All() throws InterruptedException {
    cluster.kill9All();
  }
}
