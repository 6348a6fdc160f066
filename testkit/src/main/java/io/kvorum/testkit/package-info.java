/** What the tests of every module share: Tidy, golden transcripts, seeds. */
@NullMarked
package io.kvorum.testkit;

import org.jspecify.annotations.NullMarked;
