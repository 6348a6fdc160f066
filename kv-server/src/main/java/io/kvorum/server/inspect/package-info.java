/** What is left in data directories, looked at while no node runs and without changing anything. */
@NullMarked
package io.kvorum.server.inspect;

import org.jspecify.annotations.NullMarked;
