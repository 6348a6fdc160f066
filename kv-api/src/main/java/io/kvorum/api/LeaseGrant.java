package io.kvorum.api;

import java.time.Duration;

/**
 * A lease that a majority holds on its disks.
 *
 * @param header its revision is the current one: a grant makes none
 * @param id of the lease, for {@link PutOptions#withLease} and the rest
 * @param ttl how long it lives without being renewed; longer than asked for if that was too short
 */
public record LeaseGrant(Header header, long id, Duration ttl) {}
