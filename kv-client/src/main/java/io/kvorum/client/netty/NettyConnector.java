package io.kvorum.client.netty;

import io.kvorum.client.port.Connection;
import io.kvorum.client.port.Connector;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens TCP connections on a {@link NettyLoop}. */
public final class NettyConnector implements Connector {
  /** A name server that hangs holds up this many threads and no more. */
  private static final int LOOKUPS_MAX = 4;

  /**
   * How much may wait in front of a socket before the connection says that it is not writable, and
   * below which it says that it is again (FAULTS F149).
   */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(512 << 10, 1 << 20);

  private static final Logger LOG = LoggerFactory.getLogger(NettyConnector.class);

  private final NettyLoop loop;
  private final ThreadPoolExecutor lookups =
      new ThreadPoolExecutor(
          0, LOOKUPS_MAX, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), NettyConnector::newThread);

  public NettyConnector(NettyLoop loop) {
    this.loop = loop;
  }

  private static Thread newThread(Runnable work) {
    Thread thread = new Thread(work, "kvorum-client-lookup");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public Connection connect(
      String host, int port, long timeoutNanos, Connection.Listener listener) {
    NettyConnection connection = new NettyConnection(loop.eventLoop(), listener);
    int timeoutMillis = (int) Math.max(1, Math.min(timeoutNanos / 1_000_000, Integer.MAX_VALUE));
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
    if (literal != null) {
      loop.execute(() -> open(address(host, literal, port), timeoutMillis, connection));
      return connection;
    }
    // A look-up may take seconds. It must not hold up the loop, on which all deadlines hang.
    try {
      lookups.execute(() -> lookUp(host, port, timeoutMillis, connection));
    } catch (RejectedExecutionException busy) {
      loop.execute(
          () -> connection.ended("more than " + LOOKUPS_MAX + " host names to look up", true));
    }
    return connection;
  }

  private static InetSocketAddress address(String host, byte[] literal, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(host, literal), port);
    } catch (UnknownHostException impossible) {
      throw new AssertionError("an address of " + literal.length + " bytes", impossible);
    }
  }

  private void lookUp(String host, int port, int timeoutMillis, NettyConnection connection) {
    Runnable next;
    try {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), port);
      next = () -> open(address, timeoutMillis, connection);
    } catch (UnknownHostException unknown) {
      next = () -> connection.ended("unknown host " + unknown.getMessage(), false);
    }
    try {
      loop.execute(next);
    } catch (RejectedExecutionException closed) {
      LOG.debug("the client was closed while {} was looked up", host, closed);
    }
  }

  private void open(InetSocketAddress address, int timeoutMillis, NettyConnection connection) {
    if (connection.isClosed()) {
      return;
    }
    ChannelFuture attempt =
        new Bootstrap()
            .group(loop.eventLoop())
            .channel(loop.channelType())
            // Even a resolver that does nothing waits for the loop's end on a global thread.
            .disableResolver()
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new FrameReader(connection));
                  }
                })
            .connect(address);
    connection.attempted(attempt);
  }
}
