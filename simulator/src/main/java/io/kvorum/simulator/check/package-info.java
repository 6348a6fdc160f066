/** What must hold in every run, whatever happens. */
@NullMarked
package io.kvorum.simulator.check;

import org.jspecify.annotations.NullMarked;
