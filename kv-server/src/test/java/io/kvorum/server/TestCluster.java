package io.kvorum.server;

import io.kvorum.server.net.Ports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Nodes in this JVM, on free ports of the loopback interface. */
final class TestCluster implements AutoCloseable {
  private final List<Member> members;
  private final Path directory;
  private final List<KvNode> nodes = new ArrayList<>();

  private TestCluster(Path directory, List<Member> members) {
    this.directory = directory;
    this.members = members;
  }

  static TestCluster start(Path directory, int size) {
    TestCluster cluster = new TestCluster(directory, freeMembers(size));
    cluster.members.forEach(member -> cluster.nodes.add(KvNode.start(cluster.config(member))));
    return cluster;
  }

  /** Members n1, n2, … on ports that were free a moment ago. */
  static List<Member> freeMembers(int size) {
    List<Integer> ports = Ports.free(2 * size, ProcessHandle.current().pid());
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      members.add(
          Member.parse(
              "n" + (i + 1) + "=127.0.0.1:" + ports.get(2 * i) + ":" + ports.get(2 * i + 1)));
    }
    return members;
  }

  ServerConfig config(Member member) {
    return ServerConfig.embedded(directory.resolve(member.id().name()))
        .nodeId(member.id().name())
        .clusterId("test")
        .members(members)
        .segmentBytes(8 << 20)
        .clientPortOpen(true)
        .build();
  }

  KvNode node(int index) {
    return nodes.get(index);
  }

  Member member(int index) {
    return members.get(index);
  }

  /** Closes the node and starts it again on its directory. */
  void restart(int index) {
    nodes.get(index).close();
    nodes.set(index, KvNode.start(config(members.get(index))));
  }

  @Override
  public void close() {
    nodes.forEach(KvNode::close);
  }
}
