/** Whole clusters of the real classes on virtual time, network and disk, decided by one seed. */
@NullMarked
package io.kvorum.simulator;

import org.jspecify.annotations.NullMarked;
