/**
 * Decides whether what clients saw can be explained by operations that each take effect at one
 * instant between call and return. Start at {@link
 * io.kvorum.testkit.linearizability.LinearizabilityChecker}.
 */
@NullMarked
package io.kvorum.testkit.linearizability;

import org.jspecify.annotations.NullMarked;
