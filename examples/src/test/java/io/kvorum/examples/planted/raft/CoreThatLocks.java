package io.kvorum.examples.planted.raft;

import java.util.concurrent.locks.ReentrantLock;

/** Planted: a pure function that locks. */
class CoreThatLocks {
  final ReentrantLock lock = new ReentrantLock();
}
