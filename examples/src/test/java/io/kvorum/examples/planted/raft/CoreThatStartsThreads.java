package io.kvorum.examples.planted.raft;

/** Planted: a pure function with a thread. */
class CoreThatStartsThreads {
  final Thread thread = new Thread(() -> {});
}
