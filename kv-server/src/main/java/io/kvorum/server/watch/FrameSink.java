package io.kvorum.server.watch;

import io.kvorum.protocol.ServerFrame;

/** Where frames of watches leave for one client. On the node's loop. */
public interface FrameSink {
  /** Sends a frame that nobody has asked for. Does nothing once the connection is gone. */
  void push(ServerFrame frame);

  /**
   * Whether more may be sent now. Once it was false, whoever owns the sink calls {@link
   * WatchStream#writable} when it is true again.
   */
  boolean isWritable();
}
