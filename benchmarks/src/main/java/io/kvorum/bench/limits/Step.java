package io.kvorum.bench.limits;

import io.kvorum.bench.load.Measurement;
import java.io.IOException;

/** What is done again and again to measure a limit. One thread at a time. */
@FunctionalInterface
interface Step {
  /** Does it once, and tells what has ended; returns in how many batches that was. */
  int run(Measurement measurement) throws IOException;
}
