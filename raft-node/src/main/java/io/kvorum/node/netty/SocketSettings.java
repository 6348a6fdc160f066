package io.kvorum.node.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannel;

/** How sockets between peers are set. */
final class SocketSettings {
  private static final int CONNECT_MILLIS_MAX = 1_000;
  private static final int STALL_MILLIS_MAX = 10_000;
  private static final int KEEPALIVE_IDLE_SECONDS = 10;
  private static final int KEEPALIVE_INTERVAL_SECONDS = 3;
  private static final int KEEPALIVE_PROBES = 3;

  private SocketSettings() {}

  /**
   * Sets a socket.
   *
   * @param queueBytesMax what may wait in it before it counts as not writable
   */
  static void apply(NettyLoop loop, SocketChannel channel, int queueBytesMax) {
    ByteBufAllocator allocator = loop.allocator();
    channel
        .config()
        .setAllocator(allocator)
        .setConnectTimeoutMillis(CONNECT_MILLIS_MAX)
        .setTcpNoDelay(true)
        .setKeepAlive(true)
        .setWriteBufferWaterMark(new WriteBufferWaterMark(queueBytesMax / 2, queueBytesMax));
    if (loop.epoll()) {
      // A network that swallows packets would else be noticed after a quarter of an hour; and when
      // it heals, TCP would wait for up to two minutes with its next attempt.
      set(channel, EpollChannelOption.TCP_USER_TIMEOUT, STALL_MILLIS_MAX);
      set(channel, EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
      set(channel, EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
      set(channel, EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
    }
  }

  private static void set(SocketChannel channel, ChannelOption<Integer> option, int value) {
    if (!channel.config().setOption(option, value)) {
      throw new AssertionError("a channel without " + option);
    }
  }
}
