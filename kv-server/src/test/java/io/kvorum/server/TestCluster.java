package io.kvorum.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
    List<ServerSocket> held = new ArrayList<>();
    List<Member> members = new ArrayList<>();
    try {
      for (int i = 1; i <= size; i++) {
        int client = hold(held);
        members.add(Member.parse("n" + i + "=127.0.0.1:" + client + ":" + hold(held)));
      }
      for (ServerSocket socket : held) {
        socket.close();
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("no free ports", failed);
    }
    return members;
  }

  private static int hold(List<ServerSocket> held) throws IOException {
    ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    held.add(socket);
    return socket.getLocalPort();
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
