/** Apache Ratis, with a map as its state machine. */
@NullMarked
package io.kvorum.bench.peer.ratis;

import org.jspecify.annotations.NullMarked;
