package io.kvorum.api;

/**
 * A compaction that a majority holds in its logs.
 *
 * @param header its revision is the current one: a compaction makes none
 */
public record CompactResult(Header header) {}
