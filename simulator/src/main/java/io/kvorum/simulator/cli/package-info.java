/** The command line of the simulator: {@code ./kvorum sim}. */
@NullMarked
package io.kvorum.simulator.cli;

import org.jspecify.annotations.NullMarked;
