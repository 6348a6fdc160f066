/** The segmented log and the vote file. */
@NullMarked
package io.kvorum.log;

import org.jspecify.annotations.NullMarked;
