/** Programs that the README quotes. */
@NullMarked
package io.kvorum.examples;

import org.jspecify.annotations.NullMarked;
