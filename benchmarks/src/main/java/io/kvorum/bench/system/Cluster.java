package io.kvorum.bench.system;

import java.util.List;

/** Servers that run. Ends them when it is closed. */
public interface Cluster extends AutoCloseable {
  /** Of the servers' processes. */
  List<Long> pids();

  /** As the system's clients want to be told. */
  String endpoints();

  @Override
  void close();
}
