/** What the remote client needs of the world: a thread with a clock, and connections. */
@NullMarked
package io.kvorum.client.port;

import org.jspecify.annotations.NullMarked;
