/** A whole benchmark: which systems, in which order, and what is demanded of them. */
@NullMarked
package io.kvorum.bench.run;

import org.jspecify.annotations.NullMarked;
