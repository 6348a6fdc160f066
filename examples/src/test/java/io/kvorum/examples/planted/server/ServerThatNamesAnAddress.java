package io.kvorum.examples.planted.server;

import java.net.InetSocketAddress;

/** A near miss: an address is no socket. */
class ServerThatNamesAnAddress {
  InetSocketAddress local() {
    return InetSocketAddress.createUnresolved("localhost", 7400);
  }
}
