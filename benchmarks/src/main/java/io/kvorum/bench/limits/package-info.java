/** What the machine can do at most: syncs, round trips, a bare chain of both, puts of RocksDB. */
@NullMarked
package io.kvorum.bench.limits;

import org.jspecify.annotations.NullMarked;
