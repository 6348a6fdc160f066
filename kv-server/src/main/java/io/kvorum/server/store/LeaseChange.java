package io.kvorum.server.store;

import org.jspecify.annotations.Nullable;

/**
 * Says that something has happened to a lease.
 *
 * @param row how it is now; null: it is gone
 */
public record LeaseChange(long id, @Nullable LeaseRow row) {}
