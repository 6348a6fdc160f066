/** What the rounds came to: tables, ratios, JSON, a plot. */
@NullMarked
package io.kvorum.bench.report;

import org.jspecify.annotations.NullMarked;
