package io.kvorum.bench.limits;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The least that a leader does. What its client has sent while it was busy is the next batch: that
 * goes to all followers, and then to its own disk. Once a majority of all has synced a batch, the
 * client is answered with its number of records, an int.
 *
 * <p>Its own thread reads the client and appends; one for each follower reads what that one says.
 */
final class ChainLeader {
  static final int RECORDS_MAX = 1024;
  static final int BATCH_BYTES_MAX = RECORDS_MAX * Pipeline.MESSAGE_BYTES;

  private static final int SELF = 0;

  private final SocketChannel client;
  private final List<SocketChannel> followers;
  private final SyncedFile file;
  private final Quorum quorum;
  private final ByteBuffer received = ByteBuffer.allocateDirect(BATCH_BYTES_MAX);
  private final ByteBuffer header = ByteBuffer.allocateDirect(ChainFollower.HEADER_BYTES);
  private final Object answering = new Object();
  private final ByteBuffer answer = ByteBuffer.allocateDirect(Integer.BYTES);
  private volatile boolean ending;
  private volatile @Nullable Exception failure;

  ChainLeader(SocketChannel client, List<SocketChannel> followers, SyncedFile file) {
    this.client = client;
    this.followers = List.copyOf(followers);
    this.file = file;
    this.quorum = new Quorum(1 + followers.size());
  }

  /** The answers that a client of this gets. */
  static void answers(ByteBuffer received, IntConsumer batches) {
    while (received.remaining() >= Integer.BYTES) {
      batches.accept(received.getInt());
    }
  }

  /**
   * Returns when the client has ended, and the followers have after it; closes all connections.
   *
   * @throws IOException if anything else ends it
   */
  void run() throws IOException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < followers.size(); i++) {
      SocketChannel follower = followers.get(i);
      int node = i + 1;
      Thread thread = new Thread(() -> follow(node, follower), "follower " + node);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    lead();
    for (Thread thread : threads) {
      join(thread);
    }
    closeAll();
    Exception why = failure;
    if (why != null) {
      throw new IOException("the leader of the chain failed: " + why, why);
    }
  }

  private void lead() {
    try {
      while (client.read(received) >= 0) {
        int whole = received.position() / Pipeline.MESSAGE_BYTES;
        if (whole > 0) {
          replicate(whole);
        }
      }
      // The client has ended. The followers sync what they have got, and end as well.
      ending = true;
      for (SocketChannel follower : followers) {
        follower.shutdownOutput();
      }
    } catch (IOException | RuntimeException failed) {
      fail(failed);
    }
  }

  /** The first so many records that were received are one batch; what is behind them stays. */
  private void replicate(int records) throws IOException {
    int bytes = records * Pipeline.MESSAGE_BYTES;
    ByteBuffer batch = received.duplicate().flip().limit(bytes);
    long number = quorum.begin(records);
    for (SocketChannel follower : followers) {
      header.clear().putInt(bytes).flip();
      Wire.writeFully(follower, header, batch.duplicate());
    }
    file.append(batch);
    answer(quorum.synced(SELF, number));
    received.flip().position(bytes);
    received.compact();
  }

  private void follow(int node, SocketChannel follower) {
    ByteBuffer number = ByteBuffer.allocateDirect(Long.BYTES);
    try {
      while (Wire.readFully(follower, number.clear())) {
        answer(quorum.synced(node, number.getLong()));
      }
      if (!ending) {
        throw new EOFException("follower " + node + " has ended");
      }
    } catch (IOException | RuntimeException failed) {
      fail(failed);
    }
  }

  private void answer(List<Integer> batches) throws IOException {
    synchronized (answering) {
      for (int records : batches) {
        Wire.writeFully(client, answer.clear().putInt(records).flip());
      }
    }
  }

  /** All connections are closed, so that no thread waits for ever. The first failure is told. */
  private void fail(Exception failed) {
    synchronized (answering) {
      if (failure == null) {
        failure = failed;
      }
    }
    closeAll();
  }

  private void closeAll() {
    close(client);
    followers.forEach(ChainLeader::close);
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException failed) {
      System.err.println("closing a connection: " + failed.getMessage());
    }
  }

  private void join(Thread thread) throws IOException {
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      fail(interrupted);
    }
  }
}
