package io.kvorum.client.port;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;

/**
 * One connection to a server, from the attempt to open it to its end. It never reconnects.
 *
 * <p>Only for the loop's thread. No method calls the listener before it returns.
 */
public interface Connection {
  /**
   * Sends a frame; what is sent in one turn of the loop leaves together. From here on the server
   * may have the frame, whatever happens to the connection. Does nothing once closed.
   */
  void send(ClientFrame frame);

  /**
   * Whether more may be sent now. Once false, {@link Listener#writable} tells when it is true
   * again. Whoever sends regardless makes the queue in front of a slow server grow without bound.
   */
  boolean isWritable();

  /** Closes; the listener hears nothing any more. Closing twice is allowed. */
  void close();

  /** Hears of one connection, on the loop's thread. */
  interface Listener {
    /** Frames may be sent. Comes once at most, and first. */
    void opened();

    /** A frame arrived whole. */
    void received(ServerFrame frame);

    /** {@link Connection#isWritable} is true again. */
    void writable();

    /**
     * The attempt failed, or the connection ended: by the server, the network, or bytes that were
     * no frame. Comes once at most, and last.
     *
     * @param reason for people
     * @param timedOut whether nothing was heard, rather than a refusal
     */
    void closed(String reason, boolean timedOut);
  }
}
