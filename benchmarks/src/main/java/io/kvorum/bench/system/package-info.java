/** The systems under test: their processes, and what these use of the machine. */
@NullMarked
package io.kvorum.bench.system;

import org.jspecify.annotations.NullMarked;
