/** The processes of a cluster on this machine: start, kill, pause, restart. */
@NullMarked
package io.kvorum.cli.process;

import org.jspecify.annotations.NullMarked;
