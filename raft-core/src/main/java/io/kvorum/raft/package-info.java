/** Raft as a pure function of its inputs: no I/O, no threads, no clock. */
@NullMarked
package io.kvorum.raft;

import org.jspecify.annotations.NullMarked;
