/** What a JUnit test of a service that stands on Kvorum asks for: a cluster, simulated or real. */
@NullMarked
package io.kvorum.simulator.junit;

import org.jspecify.annotations.NullMarked;
