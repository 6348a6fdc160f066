package io.kvorum.node.netty;

import io.kvorum.raft.NodeId;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one event loop of a node: a daemon thread that owns the peers' and the clients' sockets and
 * the Raft core. Uses epoll where the native library loads, else the selector of the JDK.
 */
public final class NettyLoop implements AutoCloseable {
  private static final long CLOSE_MILLIS_MAX = 10_000;
  private static final long SHUTDOWN_MILLIS_MAX = 2_000;

  private final boolean epoll;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop eventLoop;
  private final EventLoopLane lane;
  private final Consumer<Throwable> failed;
  private volatile @Nullable Thread thread;

  /**
   * A loop whose thread {@code kvorum-<node>-loop} starts with its first task.
   *
   * @param failed told, on the loop, of an exception or error that nobody on the loop was to throw:
   *     the node must stop (FAULTS F160). Must not throw, and must not wait for the loop
   */
  public NettyLoop(NodeId node, Consumer<Throwable> failed) {
    this(node, failed, Epoll.isAvailable());
  }

  NettyLoop(NodeId node, Consumer<Throwable> failed, boolean epoll) {
    this.epoll = epoll;
    this.failed = failed;
    this.group =
        new OneLoop(
            task -> newThread("kvorum-" + node + "-loop", task),
            epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    this.eventLoop = group.next();
    this.lane = new EventLoopLane(eventLoop, failed);
  }

  /** A group of one loop, which is kept from forgetting its sockets. */
  private static final class OneLoop extends MultiThreadIoEventLoopGroup {
    /**
     * Netty's default is a second without a look at sockets and timers while tasks keep coming:
     * longer than an election timeout, so a flood of requests would unseat the leader (FAULTS
     * F153).
     */
    private static final long TASK_MILLIS_MAX = 2;

    OneLoop(ThreadFactory threads, IoHandlerFactory sockets) {
      super(1, threads, sockets);
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory sockets, Object... none) {
      return new SingleThreadIoEventLoop(
          this,
          executor,
          sockets,
          Integer.MAX_VALUE,
          RejectedExecutionHandlers.reject(),
          TASK_MILLIS_MAX);
    }
  }

  private Thread newThread(String name, Runnable task) {
    Thread created = new FastThreadLocalThread(task, name);
    created.setDaemon(true);
    thread = created;
    return created;
  }

  /** The loop itself. */
  public EventLoop eventLoop() {
    return eventLoop;
  }

  /** The loop as the lane of the node. */
  public EventLoopLane lane() {
    return lane;
  }

  /**
   * Where buffers come from. One pool for the whole JVM: a pool of each node would give its chunks
   * back only when the collector finds it.
   */
  public ByteBufAllocator allocator() {
    return PooledByteBufAllocator.DEFAULT;
  }

  /** A socket that this loop can own; not registered, not connected. */
  public SocketChannel newSocketChannel() {
    return epoll ? new EpollSocketChannel() : new NioSocketChannel();
  }

  /** The kind of {@link #newSocketChannel}. */
  public Class<? extends SocketChannel> socketType() {
    return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** A listening socket that this loop can own; not registered, not bound. */
  public ServerSocketChannel newServerSocketChannel() {
    return epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
  }

  /** Says that something was thrown on the loop that nobody was to throw. */
  public void failed(Throwable failure) {
    failed.accept(failure);
  }

  boolean epoll() {
    return epoll;
  }

  /**
   * Closes the sockets that are left, drops what is queued for later, and ends the thread. Waits
   * for at most 10 seconds; on the loop itself it does not wait. May be called again.
   *
   * @throws IllegalStateException if a task keeps the thread busy for longer
   */
  @Override
  public void close() {
    var unused = group.shutdownGracefully(0, SHUTDOWN_MILLIS_MAX, TimeUnit.MILLISECONDS);
    if (eventLoop.inEventLoop()) {
      return;
    }
    try {
      boolean ended = group.awaitTermination(CLOSE_MILLIS_MAX, TimeUnit.MILLISECONDS);
      Thread running = thread;
      if (ended && running != null) {
        running.join(CLOSE_MILLIS_MAX);
        ended = !running.isAlive();
      }
      if (!ended) {
        throw new IllegalStateException("the loop did not end in " + CLOSE_MILLIS_MAX + " ms");
      }
    } catch (InterruptedException interrupted) {
      // The caller does not want to wait any longer; the thread ends by itself.
      Thread.currentThread().interrupt();
    }
  }
}
