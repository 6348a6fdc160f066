/** Many runs at once, until one breaks a promise. */
@NullMarked
package io.kvorum.simulator.run;

import org.jspecify.annotations.NullMarked;
