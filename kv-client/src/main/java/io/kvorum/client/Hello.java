package io.kvorum.client;

import io.kvorum.api.KvException;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.ProtocolLimits;
import org.jspecify.annotations.Nullable;

/** Looks at what a server says when it is first met. */
final class Hello {
  private Hello() {}

  /**
   * Why that server is not one to talk to, or null.
   *
   * @param clusterId the only cluster to talk to; empty: any
   */
  static KvException.@Nullable Rejected mismatch(
      Endpoint endpoint, HelloResponse hello, String clusterId) {
    if (hello.getProtocolVersion() != ProtocolLimits.PROTOCOL_VERSION) {
      return new KvException.Rejected(
          KvException.Reason.UNSUPPORTED,
          endpoint
              + " speaks version "
              + hello.getProtocolVersion()
              + " of the protocol, this client version "
              + ProtocolLimits.PROTOCOL_VERSION);
    }
    if (!clusterId.isEmpty() && !clusterId.equals(hello.getClusterId())) {
      return new KvException.Rejected(
          KvException.Reason.WRONG_CLUSTER,
          endpoint
              + " belongs to cluster "
              + hello.getClusterId()
              + ", this client to cluster "
              + clusterId);
    }
    return null;
  }
}
