package io.kvorum.node.netty;

import io.kvorum.raft.NodeId;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Knows where members listen for each other. */
@FunctionalInterface
public interface PeerAddresses {
  /**
   * Where that member listens, or null when it is not known. A host name is looked up anew for each
   * attempt to connect, whether or not the address is resolved.
   *
   * @param address what the membership says about it; null when it says nothing
   */
  @Nullable InetSocketAddress of(NodeId member, @Nullable String address);
}
