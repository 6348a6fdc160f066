package io.kvorum.simulator.junit;

import io.kvorum.api.KvClient;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.server.KvNode;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.server.net.Ports;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Nodes {@code n1}, {@code n2}, … in this JVM, on free ports of the loopback interface, and a
 * client of all of them. For one test thread.
 */
public final class InProcessCluster implements AutoCloseable {
  private static final Duration LEADER_WITHIN = Duration.ofSeconds(30);
  private static final int SEGMENT_BYTES = 8 << 20;

  private final Path directory;
  private final List<Member> members = new ArrayList<>();
  private final SortedMap<String, KvNode> running = new TreeMap<>();
  private final RemoteKvClient client;

  private InProcessCluster(Path directory, int size) {
    this.directory = directory;
    List<Integer> ports = Ports.free(2 * size, ProcessHandle.current().pid());
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int clientPort = ports.get(2 * i);
      String address = "127.0.0.1:" + clientPort + ":" + ports.get(2 * i + 1);
      members.add(Member.parse("n" + (i + 1) + "=" + address));
      endpoints.add(new Endpoint("127.0.0.1", clientPort));
    }
    client = RemoteKvClient.connect(ClientConfig.builder().endpoints(endpoints).build());
  }

  /**
   * Starts a cluster.
   *
   * @param directory where each node gets a directory of its own
   * @param size 1 to 9
   */
  public static InProcessCluster start(Path directory, int size) {
    InProcessCluster cluster = new InProcessCluster(directory, size);
    boolean started = false;
    try {
      cluster.members.forEach(member -> cluster.start(member.id().name()));
      started = true;
      return cluster;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  /** The names of all members, running or not. */
  public List<String> names() {
    return members.stream().map(member -> member.id().name()).toList();
  }

  /** A client that knows all members; closed with the cluster. */
  public KvClient client() {
    return client;
  }

  /**
   * A running node; also a client, whose requests go through it.
   *
   * @throws IllegalArgumentException if there is none of that name, or it does not run
   */
  public KvNode node(String name) {
    KvNode node = running.get(member(name).id().name());
    if (node == null) {
      throw new IllegalArgumentException(name + " does not run");
    }
    return node;
  }

  /** Closes a node; its directory stays. */
  public void stop(String name) {
    node(name).close();
    running.remove(name);
  }

  /** Starts a node that was stopped. */
  public void start(String name) {
    if (running.containsKey(member(name).id().name())) {
      throw new IllegalArgumentException(name + " runs already");
    }
    running.put(
        name,
        KvNode.start(
            ServerConfig.embedded(directory.resolve(name))
                .nodeId(name)
                .clusterId("test")
                .members(members)
                .segmentBytes(SEGMENT_BYTES)
                .clientPortOpen(true)
                .build()));
  }

  /** Waits until a running node leads, and names it. */
  public String awaitLeader() {
    Await.until("a leader", LEADER_WITHIN, () -> leader().isPresent());
    return leader().orElseThrow();
  }

  /** The running node that leads the newest term, if one leads. */
  public Optional<String> leader() {
    return running.values().stream()
        .map(node -> node.status().join())
        .filter(status -> status.role().equals("leader"))
        .max((a, b) -> Long.compare(a.term(), b.term()))
        .map(NodeStatus::nodeId);
  }

  private Member member(String name) {
    return members.stream()
        .filter(member -> member.id().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name + " is none of " + names()));
  }

  /** Closes the client and all nodes; the directories stay. */
  @Override
  public void close() {
    client.close();
    running.values().forEach(KvNode::close);
    running.clear();
  }
}
