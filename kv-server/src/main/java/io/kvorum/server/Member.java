package io.kvorum.server;

import io.kvorum.raft.NodeId;

/**
 * Where a member of the cluster is reached.
 *
 * @param clientPort for clients; 1 to 65535
 * @param peerPort for the other members; 1 to 65535
 */
public record Member(NodeId id, String host, int clientPort, int peerPort) {
  public Member {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("member " + id + " has no host");
    }
    checkPort(clientPort);
    checkPort(peerPort);
  }

  /**
   * Reads {@code id=host:clientPort:peerPort}; a host with colons stands in brackets, as in {@code
   * n1=[::1]:7400:7500}.
   *
   * @throws IllegalArgumentException saying what was wrong and what is allowed
   */
  public static Member parse(String text) {
    int equals = text.indexOf('=');
    int lastColon = text.lastIndexOf(':');
    int firstColon = lastColon < 0 ? -1 : text.lastIndexOf(':', lastColon - 1);
    if (equals < 1 || firstColon <= equals + 1) {
      throw malformed(text);
    }
    String host = text.substring(equals + 1, firstColon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      return new Member(
          new NodeId(text.substring(0, equals).strip()),
          host,
          Integer.parseInt(text.substring(firstColon + 1, lastColon)),
          Integer.parseInt(text.substring(lastColon + 1).strip()));
    } catch (NumberFormatException notPorts) {
      throw malformed(text);
    }
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "member \""
            + text
            + "\": expected id=host:clientPort:peerPort, as in n1=127.0.0.1:7400:7500");
  }

  private static void checkPort(int port) {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " is not in 1 to 65535");
    }
  }

  /** Where clients reach it, {@code host:port}. */
  String clientEndpoint() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + clientPort;
  }

  /** What the group's membership says of it: {@code host:clientPort:peerPort}. */
  public String address() {
    return clientEndpoint() + ":" + peerPort;
  }
}
