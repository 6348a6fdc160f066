/** The embedded node, the server process, and what answers clients. */
@NullMarked
package io.kvorum.server;

import org.jspecify.annotations.NullMarked;
