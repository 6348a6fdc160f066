/** Tests of the node's parts. */
@NullMarked
package io.kvorum.node;

import org.jspecify.annotations.NullMarked;
