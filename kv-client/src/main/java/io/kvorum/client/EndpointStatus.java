package io.kvorum.client;

import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import java.util.Optional;

/**
 * What came of asking one endpoint for its status: exactly one of the two is present.
 *
 * @param status what the node says of itself
 * @param failure why it said nothing
 */
public record EndpointStatus(
    Endpoint endpoint, Optional<NodeStatus> status, Optional<KvException> failure) {
  public EndpointStatus {
    if (status.isPresent() == failure.isPresent()) {
      throw new IllegalArgumentException("either a status or a failure");
    }
  }
}
