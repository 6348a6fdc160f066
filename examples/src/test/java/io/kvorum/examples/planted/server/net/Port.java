package io.kvorum.examples.planted.server.net;

import io.netty.buffer.ByteBuf;

/** A near miss: the transport is where Netty belongs. */
class Port {
  int size(ByteBuf buffer) {
    return buffer.readableBytes();
  }
}
