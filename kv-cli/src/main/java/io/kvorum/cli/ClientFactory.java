package io.kvorum.cli;

import java.time.Duration;
import java.util.List;

/** Opens connections to a cluster. */
@FunctionalInterface
public interface ClientFactory {
  /**
   * Waits for nothing; an unreachable cluster shows at the first operation.
   *
   * @param endpoints host:port of any members
   * @param timeout of each operation
   * @throws IllegalArgumentException for an endpoint that is none
   */
  Connection connect(List<String> endpoints, Duration timeout);
}
