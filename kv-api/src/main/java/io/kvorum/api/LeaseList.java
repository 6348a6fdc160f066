package io.kvorum.api;

import java.util.List;

/**
 * The leases that exist.
 *
 * @param ids ascending
 */
public record LeaseList(Header header, List<Long> ids) {
  public LeaseList {
    ids = List.copyOf(ids);
  }
}
