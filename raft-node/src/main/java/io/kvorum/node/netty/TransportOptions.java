package io.kvorum.node.netty;

import java.time.Duration;

/**
 * The limits of the peer transport.
 *
 * @param group the group whose messages are carried
 * @param frameBytesMax the largest frame sent or accepted: one AppendEntries may carry {@code
 *     appendBytesMax} of entries, or one larger entry alone
 * @param queueBytesMax bytes that wait for one peer's socket, beyond which AppendEntries with
 *     entries are dropped; small messages are dropped beyond four times as many
 * @param queueMessagesMax as {@code queueBytesMax}, in messages
 * @param acceptedMax connections accepted at one time
 * @param helloTimeout how long a connection may take to say hello, or to answer one
 */
public record TransportOptions(
    int group,
    int frameBytesMax,
    int queueBytesMax,
    int queueMessagesMax,
    int acceptedMax,
    Duration helloTimeout) {

  private static final int FRAME_BYTES_MIN = 1 << 10;
  private static final int FRAME_BYTES_LIMIT = 1 << 30;

  /** For entries of up to 4 MiB, and appends of up to 256 KiB. */
  public static final TransportOptions DEFAULT =
      new TransportOptions(
          0, (4 << 20) + (256 << 10) + (64 << 10), 8 << 20, 1_024, 1_024, Duration.ofSeconds(5));

  public TransportOptions {
    check(
        frameBytesMax >= FRAME_BYTES_MIN && frameBytesMax <= FRAME_BYTES_LIMIT,
        "frameBytesMax must be from 1 KiB to 1 GiB");
    check(queueBytesMax >= 2, "queueBytesMax must be at least 2");
    check(queueMessagesMax >= 1, "queueMessagesMax must be positive");
    check(acceptedMax >= 1, "acceptedMax must be positive");
    check(!helloTimeout.isNegative() && !helloTimeout.isZero(), "helloTimeout must be positive");
  }

  public TransportOptions withGroup(int group) {
    return new TransportOptions(
        group, frameBytesMax, queueBytesMax, queueMessagesMax, acceptedMax, helloTimeout);
  }

  public TransportOptions withFrameBytesMax(int frameBytesMax) {
    return new TransportOptions(
        group, frameBytesMax, queueBytesMax, queueMessagesMax, acceptedMax, helloTimeout);
  }

  public TransportOptions withQueueBytesMax(int queueBytesMax) {
    return new TransportOptions(
        group, frameBytesMax, queueBytesMax, queueMessagesMax, acceptedMax, helloTimeout);
  }

  public TransportOptions withQueueMessagesMax(int queueMessagesMax) {
    return new TransportOptions(
        group, frameBytesMax, queueBytesMax, queueMessagesMax, acceptedMax, helloTimeout);
  }

  public TransportOptions withAcceptedMax(int acceptedMax) {
    return new TransportOptions(
        group, frameBytesMax, queueBytesMax, queueMessagesMax, acceptedMax, helloTimeout);
  }

  public TransportOptions withHelloTimeout(Duration helloTimeout) {
    return new TransportOptions(
        group, frameBytesMax, queueBytesMax, queueMessagesMax, acceptedMax, helloTimeout);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
