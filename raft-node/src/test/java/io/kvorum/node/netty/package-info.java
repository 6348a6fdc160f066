/** Tests of the peer transport over loopback sockets. */
@NullMarked
package io.kvorum.node.netty;

import org.jspecify.annotations.NullMarked;
