/** Local copies of what a cluster holds: of a whole prefix, or of the keys that are asked for. */
@NullMarked
package io.kvorum.client.cache;

import org.jspecify.annotations.NullMarked;
