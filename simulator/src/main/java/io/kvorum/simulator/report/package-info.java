/** A failing run as a page that a person can read. */
@NullMarked
package io.kvorum.simulator.report;

import org.jspecify.annotations.NullMarked;
