/** What happens in a run, event by event. */
@NullMarked
package io.kvorum.simulator.trace;

import org.jspecify.annotations.NullMarked;
