package io.kvorum.bench.limits;

import io.kvorum.bench.load.Measurement;
import io.kvorum.node.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.IntConsumer;

/**
 * The client's end of a connection on which so many messages of 300 bytes are under way: what one
 * read says has ended, it sends anew in one write. The other side answers in the order in which it
 * was asked. One thread.
 */
final class Pipeline implements Step {
  static final int MESSAGE_BYTES = 300;

  /** How the other side says what has ended. */
  @FunctionalInterface
  interface Answers {
    /** Takes all whole answers out of the buffer; tells how many messages each batch of them is. */
    void take(ByteBuffer received, IntConsumer batches);
  }

  private final SocketChannel channel;
  private final Answers answers;
  private final Clock clock;
  private final ByteBuffer sent;
  private final ByteBuffer received;

  /** When each was sent that is under way: a ring, which begins with the oldest. */
  private final long[] sentAtNanos;

  private int oldest;
  private int underWay;
  private int batches;

  /**
   * @param outstanding from 1 on
   */
  Pipeline(SocketChannel channel, int outstanding, Answers answers, Clock clock) {
    this.channel = channel;
    this.answers = answers;
    this.clock = clock;
    this.sent = ByteBuffer.allocateDirect(outstanding * MESSAGE_BYTES);
    this.received = ByteBuffer.allocateDirect(outstanding * MESSAGE_BYTES);
    this.sentAtNanos = new long[outstanding];
  }

  /** Sends what may be under way, and waits for answers. */
  @Override
  public int run(Measurement measurement) throws IOException {
    send();
    return receive(measurement);
  }

  /** Sends no more, and waits for the answers to all that is under way. */
  void drain(Measurement measurement) throws IOException {
    while (underWay > 0) {
      receive(measurement);
    }
  }

  private void send() throws IOException {
    long now = clock.nanoTime();
    int free = sentAtNanos.length - underWay;
    for (int i = 0; i < free; i++) {
      sentAtNanos[(oldest + underWay + i) % sentAtNanos.length] = now;
    }
    underWay += free;
    sent.clear().limit(free * MESSAGE_BYTES);
    Wire.writeFully(channel, sent);
  }

  private int receive(Measurement measurement) throws IOException {
    if (channel.read(received) < 0) {
      throw new EOFException("the other side has ended with " + underWay + " messages under way");
    }
    long now = clock.nanoTime();
    batches = 0;
    received.flip();
    answers.take(received, count -> ended(count, now, measurement));
    received.compact();
    return batches;
  }

  private void ended(int count, long now, Measurement measurement) {
    if (count < 1 || count > underWay) {
      throw new IllegalStateException(
          "an answer to " + count + " messages, where " + underWay + " are under way");
    }
    for (int i = 0; i < count; i++) {
      measurement.ended(now - sentAtNanos[oldest], 1);
      oldest = (oldest + 1) % sentAtNanos.length;
    }
    underWay -= count;
    batches++;
  }
}
