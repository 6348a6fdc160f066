/** The remote client. */
@NullMarked
package io.kvorum.client;

import org.jspecify.annotations.NullMarked;
