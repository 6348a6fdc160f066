package io.kvorum.examples.planted.server;

import io.netty.buffer.ByteBuf;

/** Planted: Netty outside of the transport. */
class ServerThatHoldsBuffers {
  int size(ByteBuf buffer) {
    return buffer.readableBytes();
  }
}
