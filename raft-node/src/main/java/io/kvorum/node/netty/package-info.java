/** The peer transport over Netty. */
@NullMarked
package io.kvorum.node.netty;

import org.jspecify.annotations.NullMarked;
