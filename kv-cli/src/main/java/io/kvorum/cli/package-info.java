/** The command line. */
@NullMarked
package io.kvorum.cli;

import org.jspecify.annotations.NullMarked;
