package io.kvorum.examples.planted.client.net;

import io.kvorum.examples.planted.client.Session;

/** Planted: the other half. */
public class Socket {
  final Session session;

  public Socket(Session session) {
    this.session = session;
  }
}
