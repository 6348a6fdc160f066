/** A disk in memory that loses and tears what was not synced, and fails on request. */
@NullMarked
package io.kvorum.disk.simulated;

import org.jspecify.annotations.NullMarked;
