/** The rules of style that hold over the whole tree, and what reads the tree for them. */
@NullMarked
package io.kvorum.testkit.tidy;

import org.jspecify.annotations.NullMarked;
