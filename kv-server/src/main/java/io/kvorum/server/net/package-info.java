/** The port on which a server process answers remote clients. */
@NullMarked
package io.kvorum.server.net;

import org.jspecify.annotations.NullMarked;
