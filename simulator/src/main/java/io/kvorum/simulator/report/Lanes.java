package io.kvorum.simulator.report;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.SimEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Where each node and each client has its vertical line. */
final class Lanes {
  private static final int LEFT_PIXELS = 190;
  private static final int NODE_PIXELS = 240;
  private static final int CLIENT_PIXELS = 210;

  private final Map<String, Integer> positions = new LinkedHashMap<>();
  private final int nodesEnd;
  private final int width;

  /** Of all that the trace speaks of, also if a diagram shows only its end. */
  Lanes(List<SimEvent> trace) {
    TreeSet<NodeId> nodes = new TreeSet<>();
    TreeSet<Integer> clients = new TreeSet<>();
    for (SimEvent event : trace) {
      if (event instanceof SimEvent.Started started) {
        nodes.add(started.node());
      } else if (event instanceof SimEvent.Called called) {
        clients.add(called.client());
      } else if (event instanceof SimEvent.Sent sent) {
        nodes.add(sent.envelope().from());
        nodes.add(sent.envelope().to());
      }
    }
    int x = LEFT_PIXELS;
    for (NodeId node : nodes) {
      positions.put(node.name(), x);
      x += NODE_PIXELS;
    }
    nodesEnd = x;
    for (int client : clients) {
      positions.put("c" + client, x);
      x += CLIENT_PIXELS;
    }
    width = x;
  }

  /** In pixels; of what has no lane, where the nodes end. */
  int x(String name) {
    return positions.getOrDefault(name, nodesEnd);
  }

  int width() {
    return width;
  }

  /** From left to right. */
  Iterable<String> names() {
    return positions.keySet();
  }
}
