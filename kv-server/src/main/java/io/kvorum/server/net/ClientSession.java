package io.kvorum.server.net;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.server.watch.FrameSink;
import io.kvorum.server.watch.WatchStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection as the service sees it: requests that are answered, and watches. On the
 * loop.
 */
public final class ClientSession {
  private final RequestHandler handler;
  private final FrameSink sink;
  private final InOrder order = new InOrder();
  private @Nullable WatchStream watches;
  private boolean isClosed;

  /**
   * A session.
   *
   * @param sink takes what is sent for watches
   */
  public ClientSession(RequestHandler handler, FrameSink sink) {
    this.handler = handler;
    this.sink = sink;
  }

  /** Whether the frame is about watches: it is not answered as other requests are. */
  public static boolean isAboutWatches(ClientFrame frame) {
    return switch (frame.getBodyCase()) {
      case WATCH_CREATE, WATCH_CREDIT, WATCH_CANCEL, WATCH_PROGRESS -> true;
      default -> false;
    };
  }

  /** Takes a frame; answers it once, unless it is about watches. */
  public void handle(ClientFrame frame, Consumer<ServerFrame> answer) {
    if (!isAboutWatches(frame)) {
      Error overtakes = order.refuse(frame);
      if (overtakes == null) {
        handler.handle(frame, order.watch(frame, answer));
      } else {
        answer.accept(ServerFrame.newBuilder().setId(frame.getId()).setError(overtakes).build());
      }
      return;
    }
    if (isClosed) {
      return;
    }
    if (watches == null) {
      watches = handler.watches(sink);
    }
    watches.handle(frame);
  }

  /** The sink takes more again. */
  public void writable() {
    if (watches != null) {
      watches.writable();
    }
  }

  /** The connection is gone. More than once. */
  public void close() {
    isClosed = true;
    if (watches != null) {
      watches.close();
      watches = null;
    }
  }
}
