/**
 * What services build from keys, leases, watches and transactions: locks, elections, queues, a
 * registry. Each stands on {@link io.kvorum.api.KvClient} alone, so it works with a remote client,
 * an embedded node and a simulated cluster alike. The layout of the keys, and what each promises
 * under pauses and partitions, is in docs/RECIPES.md.
 */
@NullMarked
package io.kvorum.client.recipes;

import org.jspecify.annotations.NullMarked;
