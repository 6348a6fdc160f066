/** Copies of a cluster's state that outlive it, and new clusters made of them. */
@NullMarked
package io.kvorum.server.backup;

import org.jspecify.annotations.NullMarked;
