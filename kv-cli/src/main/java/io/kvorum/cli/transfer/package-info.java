/** Records in and out: the file formats, many puts under way at once, ranges page by page. */
@NullMarked
package io.kvorum.cli.transfer;

import org.jspecify.annotations.NullMarked;
