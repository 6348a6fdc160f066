package io.kvorum.server.net;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.server.watch.FrameSink;
import io.kvorum.server.watch.WatchStream;
import java.util.List;
import java.util.function.Consumer;

/** Answers requests. Called on the node's loop. */
public interface RequestHandler {
  /**
   * Takes a request and answers it once, now or later, on the loop. A request is answered also when
   * the node stops.
   */
  void handle(ClientFrame request, Consumer<ServerFrame> answer);

  /** The watches of a new connection, which closes them when it is gone. */
  WatchStream watches(FrameSink sink);

  /** Where the members serve clients. The same list as long as nothing changes. On the loop. */
  List<String> endpoints();
}
