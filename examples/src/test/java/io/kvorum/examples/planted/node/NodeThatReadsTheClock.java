package io.kvorum.examples.planted.node;

import java.util.function.LongSupplier;

/** Planted: reads the clock, behind a method reference. */
class NodeThatReadsTheClock {
  final LongSupplier clock = System::nanoTime;
}
