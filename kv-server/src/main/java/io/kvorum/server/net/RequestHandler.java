package io.kvorum.server.net;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import java.util.function.Consumer;

/** Answers requests. Called on the node's loop. */
@FunctionalInterface
public interface RequestHandler {
  /**
   * Takes a request and answers it once, now or later, on the loop. A request is answered also when
   * the node stops.
   */
  void handle(ClientFrame request, Consumer<ServerFrame> answer);
}
