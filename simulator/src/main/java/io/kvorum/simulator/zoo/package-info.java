/** Known bugs, planted one at a time: what shows that a green run means something. */
@NullMarked
package io.kvorum.simulator.zoo;

import org.jspecify.annotations.NullMarked;
