/** The client protocol: the messages generated from client.proto, and what both ends share. */
@NullMarked
package io.kvorum.protocol;

import org.jspecify.annotations.NullMarked;
