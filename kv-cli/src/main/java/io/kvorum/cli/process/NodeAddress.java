package io.kvorum.cli.process;

/**
 * A node of a local cluster, on the loopback address.
 *
 * @param name its node id
 */
public record NodeAddress(String name, int clientPort, int peerPort) {
  static final String HOST = "127.0.0.1";

  /** Where it serves clients, host:port. */
  public String endpoint() {
    return HOST + ":" + clientPort;
  }

  /** As the server's setting {@code members} has it. */
  String member() {
    return name + "=" + HOST + ":" + clientPort + ":" + peerPort;
  }
}
