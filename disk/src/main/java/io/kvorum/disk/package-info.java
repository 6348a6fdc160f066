/** The only code that touches files: the port, and the real disk behind it. */
@NullMarked
package io.kvorum.disk;

import org.jspecify.annotations.NullMarked;
