/** What a run is made of, as data: drawn from a seed, shrunk when it fails. */
@NullMarked
package io.kvorum.simulator.plan;

import org.jspecify.annotations.NullMarked;
