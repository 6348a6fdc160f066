package io.kvorum.protocol;

import io.kvorum.api.Bytes;
import io.kvorum.api.LeaseGrant;
import io.kvorum.api.LeaseList;
import io.kvorum.api.LeaseRenewal;
import io.kvorum.api.LeaseRevocation;
import io.kvorum.api.LeaseStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@link Wire} for leases. */
public final class LeaseWire {
  private LeaseWire() {}

  public static LeaseGrant grant(Header header, LeaseGrantResponse granted) {
    return new LeaseGrant(
        Wire.fromProto(header), granted.getId(), Duration.ofMillis(granted.getTtlMillis()));
  }

  public static LeaseGrantResponse toProto(LeaseGrant grant) {
    return LeaseGrantResponse.newBuilder()
        .setId(grant.id())
        .setTtlMillis(grant.ttl().toMillis())
        .build();
  }

  public static LeaseRevocation revocation(Header header, LeaseRevokeResponse revoked) {
    return new LeaseRevocation(Wire.fromProto(header), revoked.getDeleted());
  }

  public static LeaseRevokeResponse toProto(LeaseRevocation revocation) {
    return LeaseRevokeResponse.newBuilder().setDeleted(revocation.deleted()).build();
  }

  /** What became of each of these leases, in this order. */
  public static List<LeaseRenewal> renewals(
      Header header, List<Long> ids, LeaseRenewResponse renewed) {
    if (renewed.getTtlMillisCount() != ids.size()) {
      throw new IllegalArgumentException(
          renewed.getTtlMillisCount() + " answers to the renewal of " + ids.size() + " leases");
    }
    List<LeaseRenewal> renewals = new ArrayList<>(ids.size());
    for (int i = 0; i < ids.size(); i++) {
      renewals.add(
          new LeaseRenewal(
              Wire.fromProto(header), ids.get(i), Duration.ofMillis(renewed.getTtlMillis(i))));
    }
    return renewals;
  }

  public static LeaseStatus status(Header header, long id, LeaseStatusResponse status) {
    List<Bytes> keys = status.getKeyList().stream().map(Wire::fromProto).toList();
    return new LeaseStatus(
        Wire.fromProto(header),
        id,
        Duration.ofMillis(status.getTtlMillis()),
        Duration.ofMillis(status.getRemainingMillis()),
        keys);
  }

  public static LeaseList list(Header header, LeaseListResponse list) {
    return new LeaseList(Wire.fromProto(header), list.getIdList());
  }
}
