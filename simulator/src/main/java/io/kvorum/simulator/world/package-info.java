/** The simulated world: time, machines, networks and clients, and the run that they make up. */
@NullMarked
package io.kvorum.simulator.world;

import org.jspecify.annotations.NullMarked;
