/** The client's ports on Netty. */
@NullMarked
package io.kvorum.client.netty;

import org.jspecify.annotations.NullMarked;
