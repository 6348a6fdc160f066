/** The command line: ./kvorum bench. */
@NullMarked
package io.kvorum.bench.cli;

import org.jspecify.annotations.NullMarked;
