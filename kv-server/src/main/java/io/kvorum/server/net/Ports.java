package io.kvorum.server.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of the loopback address. */
public final class Ports {
  /**
   * Below the range from which Linux takes the local ports of outgoing connections: there,
   * somebody's connection could sit on the port of a node that is down and about to be restarted.
   */
  private static final int FIRST = 20_000;

  private static final int LAST = 32_000;
  private static final int STRIDE = 64;

  private Ports() {}

  /** Whether a server could listen there now. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException inUse) {
      return false;
    }
  }

  /**
   * Ports that are free now. Processes of different ids begin to look at different places, so that
   * two of them seldom choose the same.
   */
  public static List<Integer> free(int count, long processId) {
    int span = LAST - FIRST;
    int start = (int) (processId * STRIDE % span);
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < span && found.size() < count; i++) {
      int port = FIRST + (start + i) % span;
      if (isFree(port)) {
        found.add(port);
      }
    }
    if (found.size() < count) {
      throw new IllegalStateException("no " + count + " free ports in " + FIRST + " to " + LAST);
    }
    return found;
  }
}
