/** What a load asks of a system under test, and the values it writes. */
@NullMarked
package io.kvorum.bench.store;

import org.jspecify.annotations.NullMarked;
