/** Makes a failing plan small, and plans readable and replayable as text. */
@NullMarked
package io.kvorum.simulator.shrink;

import org.jspecify.annotations.NullMarked;
