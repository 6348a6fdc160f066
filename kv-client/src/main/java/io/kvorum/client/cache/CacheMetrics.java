package io.kvorum.client.cache;

import java.time.Duration;

/**
 * What a cache has done so far, and where it is. The numbers are not of one instant.
 *
 * @param hits reads answered from memory
 * @param misses reads for which data came from the cluster; none of a {@link CachedView}
 * @param evictions keys given up to keep within the weight
 * @param listings how often everything was given up and begun anew: at the start, and whenever
 *     compaction has overtaken the watch
 * @param keys held now; of a {@link PointCache} also those of which it is known that they do not
 *     exist
 * @param weightBytes of these
 * @param revision up to which every change is known
 * @param revisionsBehind how many revisions more are known to exist: those that a read has seen, or
 *     that somebody waits for
 * @param age how long ago the cluster was heard; some seconds while nothing changes
 */
public record CacheMetrics(
    long hits,
    long misses,
    long evictions,
    long listings,
    long keys,
    long weightBytes,
    long revision,
    long revisionsBehind,
    Duration age) {}
