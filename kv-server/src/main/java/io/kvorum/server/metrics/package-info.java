/** A node's figures for Micrometer, which only who uses this package needs on the class path. */
@NullMarked
package io.kvorum.server.metrics;

import org.jspecify.annotations.NullMarked;
