/** Kvorum, the system that the others are compared with. */
@NullMarked
package io.kvorum.bench.peer.kvorum;

import org.jspecify.annotations.NullMarked;
