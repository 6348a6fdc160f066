/** What an application sees of Kvorum. */
@NullMarked
package io.kvorum.api;

import org.jspecify.annotations.NullMarked;
