/** The client process: the closed loop, and the checks of what was answered. */
@NullMarked
package io.kvorum.bench.load;

import org.jspecify.annotations.NullMarked;
