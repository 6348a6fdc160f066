/** Watches on the server: recent events in memory, older ones from the store's history. */
@NullMarked
package io.kvorum.server.watch;

import org.jspecify.annotations.NullMarked;
