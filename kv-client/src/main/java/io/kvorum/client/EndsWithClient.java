package io.kvorum.client;

/** A watch of any kind, which must hear that its client was closed. */
interface EndsWithClient {
  /** Any thread, more than once. */
  void clientClosed();
}
