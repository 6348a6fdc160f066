package io.kvorum.api;

import java.util.Optional;

/**
 * A put that a majority holds on its disks.
 *
 * @param header its revision is the put's own
 * @param previous what the key held before; empty if nothing, or if not asked for
 */
public record PutResult(Header header, Optional<KeyValue> previous) {}
