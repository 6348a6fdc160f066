package io.kvorum.node.netty;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counts on the loop, read from anywhere. */
final class TransportCounters {
  final LongAdder sent = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder unsendable = new LongAdder();
  final LongAdder received = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder badBytes = new LongAdder();
  final LongAdder reconnects = new LongAdder();
  final AtomicInteger connections = new AtomicInteger();

  TransportStats snapshot() {
    return new TransportStats(
        sent.sum(),
        dropped.sum(),
        unsendable.sum(),
        received.sum(),
        refused.sum(),
        badBytes.sum(),
        reconnects.sum(),
        connections.get());
  }
}
