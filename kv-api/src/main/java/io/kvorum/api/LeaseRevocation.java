package io.kvorum.api;

/**
 * A lease that is gone.
 *
 * @param header its revision is the one in which the keys were deleted, or the current one if there
 *     were none
 * @param deleted how many keys hung on the lease
 */
public record LeaseRevocation(Header header, long deleted) {}
