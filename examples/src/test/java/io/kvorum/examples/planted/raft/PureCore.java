package io.kvorum.examples.planted.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A near miss: all that the core may use. */
class PureCore {
  private final List<byte[]> entries = new ArrayList<>();

  String describe(RandomGenerator random) {
    return "holds " + entries.stream().filter(e -> e.length > 0).count() + random.nextInt();
  }
}
