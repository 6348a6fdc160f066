package io.kvorum.server.net;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import java.util.List;
import java.util.function.Consumer;

/** Answers requests. Called on the node's loop. */
public interface RequestHandler {
  /**
   * Takes a request and answers it once, now or later, on the loop. A request is answered also when
   * the node stops.
   */
  void handle(ClientFrame request, Consumer<ServerFrame> answer);

  /** Where the members serve clients. The same list as long as nothing changes. On the loop. */
  List<String> endpoints();
}
