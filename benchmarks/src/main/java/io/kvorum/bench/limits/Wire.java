package io.kvorum.bench.limits;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Blocking connections over the loopback address, without delay; and whole reads and writes. */
final class Wire {
  private Wire() {}

  /**
   * Listens.
   *
   * @param port 0 for any that is free
   */
  static ServerSocketChannel listen(int port) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      return listener
          .setOption(StandardSocketOptions.SO_REUSEADDR, true)
          .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException | RuntimeException failed) {
      listener.close();
      throw failed;
    }
  }

  static int port(ServerSocketChannel listener) throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  static SocketChannel accept(ServerSocketChannel listener) throws IOException {
    return withoutDelay(listener.accept());
  }

  static SocketChannel connect(int port) throws IOException {
    return withoutDelay(
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
  }

  private static SocketChannel withoutDelay(SocketChannel channel) throws IOException {
    try {
      return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    } catch (IOException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Writes all that remains in the buffers, in their order. */
  static void writeFully(GatheringByteChannel channel, ByteBuffer... buffers) throws IOException {
    ByteBuffer last = buffers[buffers.length - 1];
    long left = 0;
    for (ByteBuffer buffer : buffers) {
      left += buffer.remaining();
    }
    while (left > 0) {
      left -= buffers.length == 1 ? channel.write(last) : channel.write(buffers);
    }
  }

  /**
   * Fills what remains in the buffer, and makes it ready to be read from its start.
   *
   * @return false if the other side has ended before the first byte
   * @throws EOFException if it has ended after that
   */
  static boolean readFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
    int wanted = buffer.remaining();
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        if (buffer.remaining() == wanted) {
          return false;
        }
        throw new EOFException("the other side has ended within a message");
      }
    }
    buffer.flip();
    return true;
  }
}
