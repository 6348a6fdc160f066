/** The state machine: revisions over a table port. */
@NullMarked
package io.kvorum.server.store;

import org.jspecify.annotations.NullMarked;
