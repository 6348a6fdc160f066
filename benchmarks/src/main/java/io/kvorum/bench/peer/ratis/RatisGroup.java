package io.kvorum.bench.peer.ratis;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;

/** The group that servers and clients agree on. */
final class RatisGroup {
  private static final RaftGroupId ID = RaftGroupId.valueOf(new UUID(0, 1));

  private RatisGroup() {}

  /**
   * The group of these servers.
   *
   * @param endpoints host:port,…
   */
  static RaftGroup of(String endpoints) {
    List<RaftPeer> peers =
        Arrays.stream(endpoints.split(",", -1))
            .map(address -> RaftPeer.newBuilder().setId(id(address)).setAddress(address).build())
            .toList();
    return RaftGroup.valueOf(ID, peers);
  }

  /** The name of the server at this address. */
  static String id(String address) {
    return address.replace(':', '_');
  }
}
