package io.kvorum.examples.planted.raft;

import io.kvorum.examples.planted.node.SystemClock;

/** Planted: an arrow that points up. */
class CoreThatKnowsItsDriver {
  final SystemClock clock = new SystemClock();
}
