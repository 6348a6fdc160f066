package io.kvorum.examples.planted.server;

import java.io.IOException;
import java.net.ServerSocket;

/** Planted: a socket outside of the transport. */
class ServerThatListens {
  ServerSocket listen() throws IOException {
    return new ServerSocket(0);
  }
}
