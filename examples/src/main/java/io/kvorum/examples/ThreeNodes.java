package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.server.KvNode;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Three nodes in one JVM; any of them takes requests, also those that follow. */
public final class ThreeNodes {
  private ThreeNodes() {}

  public static void main(String[] args) {
    Path directory = Path.of(args.length > 0 ? args[0] : "three-nodes-data");
    int port = args.length > 1 ? Integer.parseInt(args[1]) : 7600;
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      members.add(Member.parse("n" + (i + 1) + "=127.0.0.1:" + (port + i) + ":" + (port + 10 + i)));
    }
    List<KvNode> nodes = new ArrayList<>();
    try {
      for (Member member : members) {
        nodes.add(
            KvNode.start(
                ServerConfig.embedded(directory.resolve(member.id().name()))
                    .nodeId(member.id().name())
                    .members(members)
                    .build()));
      }
      nodes.get(0).blocking().put(Bytes.utf8("asked"), Bytes.utf8("the first node"));
      System.out.println(nodes.get(2).blocking().get(Bytes.utf8("asked")).value().orElseThrow());
    } finally {
      nodes.forEach(KvNode::close);
    }
  }
}
