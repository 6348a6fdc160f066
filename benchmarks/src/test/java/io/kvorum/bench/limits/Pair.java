package io.kvorum.bench.limits;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The two ends of a connection. */
record Pair(SocketChannel near, SocketChannel far) implements AutoCloseable {
  static Pair open() throws IOException {
    try (ServerSocketChannel listener = Wire.listen(0)) {
      SocketChannel near = Wire.connect(Wire.port(listener));
      return new Pair(near, Wire.accept(listener));
    }
  }

  @Override
  public void close() throws IOException {
    near.close();
    far.close();
  }
}
