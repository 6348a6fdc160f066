package io.kvorum.client.netty;

import io.kvorum.client.port.Loop;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One Netty event loop: epoll where it is available, else NIO.
 *
 * <p>A bare loop rather than a group of one: a group's end starts Netty's global executor thread.
 */
public final class NettyLoop implements Loop {
  private static final int CLOSE_SECONDS = 5;

  private final EventLoop eventLoop;
  private final Class<? extends SocketChannel> channelType;
  private final boolean shared;
  private final Ticker ticker = Ticker.systemTicker();

  /** Null until the first task, and on a loop of somebody else. */
  private volatile @Nullable Thread thread;

  private NettyLoop(
      EventLoop eventLoop, Class<? extends SocketChannel> channelType, boolean shared) {
    this.eventLoop = eventLoop;
    this.channelType = channelType;
    this.shared = shared;
  }

  private NettyLoop(IoHandlerFactory handlers, Class<? extends SocketChannel> channelType) {
    this.eventLoop = new SingleThreadIoEventLoop(null, this::newThread, handlers);
    this.channelType = channelType;
    this.shared = false;
  }

  /**
   * The event loop of somebody else, who ends it: {@link #close} only waits for what was handed over
   * before.
   */
  public static NettyLoop sharing(
      EventLoop eventLoop, Class<? extends SocketChannel> channelType) {
    return new NettyLoop(eventLoop, channelType, true);
  }

  /** A loop whose daemon thread starts with its first task. */
  public static NettyLoop start() {
    return Epoll.isAvailable()
        ? new NettyLoop(EpollIoHandler.newFactory(), EpollSocketChannel.class)
        : startNio();
  }

  /** The same without epoll. */
  static NettyLoop startNio() {
    return new NettyLoop(NioIoHandler.newFactory(), NioSocketChannel.class);
  }

  private Thread newThread(Runnable work) {
    // Netty's own kind of thread keeps its buffers in fields; they go when the thread goes.
    Thread started = new FastThreadLocalThread(work, "kvorum-client-loop");
    started.setDaemon(true);
    thread = started;
    return started;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  Class<? extends SocketChannel> channelType() {
    return channelType;
  }

  @Override
  public long nanoTime() {
    return ticker.nanoTime();
  }

  @Override
  public void execute(Runnable task) {
    eventLoop.execute(task);
  }

  @Override
  public Timer schedule(long delayNanos, Runnable task) {
    Future<?> scheduled = eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    return () -> scheduled.cancel(false);
  }

  @Override
  public void close() {
    if (shared) {
      awaitTasks();
      return;
    }
    try {
      // As a task, so that what was handed over before has run when the connections are closed.
      eventLoop.execute(
          () -> {
            var unused = eventLoop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
          });
    } catch (RejectedExecutionException closed) {
      // It was closed before; all that is left is to wait for its end.
      if (!eventLoop.isShuttingDown()) {
        throw closed;
      }
    }
    if (eventLoop.inEventLoop()) {
      return;
    }
    try {
      boolean unused = eventLoop.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      Thread ending = thread;
      if (ending != null) {
        // Netty says so a moment before the thread is gone.
        ending.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitTasks() {
    if (eventLoop.inEventLoop() || eventLoop.isShutdown()) {
      return;
    }
    boolean unused =
        eventLoop.submit(() -> {}).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
