package io.kvorum.examples.planted.client;

import io.kvorum.examples.planted.client.net.Socket;

/** Planted: one half of a cycle between packages. */
public class Session {
  final Socket socket = new Socket(this);
}
