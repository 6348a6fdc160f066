/** One group member: the loop that feeds the core and does what it says, and its ports. */
@NullMarked
package io.kvorum.node;

import org.jspecify.annotations.NullMarked;
