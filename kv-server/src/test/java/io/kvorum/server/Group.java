package io.kvorum.server;

import io.kvorum.api.MemberInfo;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;

/** Nodes in this JVM that come and go, as members or not. */
final class Group implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(60);

  private final Path directory;
  private final Map<String, KvNode> nodes = new TreeMap<>();

  Group(Path directory) {
    this.directory = directory;
  }

  ServerConfig.Builder config(Member self, List<Member> members) {
    return ServerConfig.embedded(directory.resolve(self.id().name()))
        .nodeId(self.id().name())
        .clusterId("test")
        .members(members)
        .segmentBytes(8 << 20)
        .electionTimeout(Duration.ofSeconds(1))
        .clientPortOpen(true);
  }

  KvNode start(ServerConfig config) {
    KvNode node = KvNode.start(config);
    nodes.put(config.nodeId().name(), node);
    return node;
  }

  /** Starts a node that waits to be added to those that are present. */
  KvNode join(Member self, List<Member> present) {
    List<Member> members = new ArrayList<>(present);
    members.add(self);
    return start(config(self, members).join(true).build());
  }

  KvNode node(String id) {
    return nodes.get(id);
  }

  void stop(String id) {
    nodes.remove(id).close();
  }

  static MemberInfo voter(Member member) {
    return MemberInfo.voter(member.id().name(), member.address());
  }

  /** A client that was told of this member only. */
  static RemoteKvClient client(Member member) {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(List.of(new Endpoint(member.host(), member.clientPort())))
            .requestTimeout(Duration.ofSeconds(20))
            .build());
  }

  NodeStatus status(String id) {
    return nodes.get(id).status().join();
  }

  /** The one that says that it leads. */
  String awaitLeader() {
    return Await.value(
        "a leader",
        LIMIT,
        () -> nodes.keySet().stream().filter(this::leads).findFirst().orElse(null));
  }

  private boolean leads(String id) {
    try {
      return status(id).role().equals("leader");
    } catch (CompletionException stopped) {
      return false;
    }
  }

  @Override
  public void close() {
    nodes.values().forEach(KvNode::close);
  }
}
