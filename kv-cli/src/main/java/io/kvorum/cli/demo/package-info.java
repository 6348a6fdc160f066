/** The demonstration: a load, a killed leader, a killed cluster, and nothing lost. */
@NullMarked
package io.kvorum.cli.demo;

import org.jspecify.annotations.NullMarked;
