package io.kvorum.client.port;

/** Opens connections to servers. */
public interface Connector {
  /**
   * Starts to connect, without waiting. Only for the loop's thread.
   *
   * @param timeoutNanos after which the attempt has failed
   * @param listener hears of this connection only; on the loop's thread, never before this call has
   *     returned. A failed attempt is a {@link Connection.Listener#closed}.
   */
  Connection connect(String host, int port, long timeoutNanos, Connection.Listener listener);
}
