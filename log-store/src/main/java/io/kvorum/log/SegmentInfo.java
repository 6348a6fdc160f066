package io.kvorum.log;

/**
 * What a segment holds.
 *
 * @param name its file
 * @param firstIndex of the first entry it holds or would hold
 * @param lastIndex of the last entry; {@code firstIndex - 1} when it holds none
 * @param bytes size of the file
 * @param sealed whether later segments exist, so that it is written no more
 */
public record SegmentInfo(
    String name, long firstIndex, long lastIndex, long bytes, boolean sealed) {}
