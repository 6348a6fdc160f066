package io.kvorum.simulator.junit;

import io.kvorum.simulator.Storm;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that runs once for each seed, with a simulated cluster of its own: real nodes and clients
 * on virtual time, network and disk, in milliseconds, and the same again for the same seed.
 *
 * <p>The method may take a {@link io.kvorum.simulator.SimCluster}, a {@link
 * io.kvorum.api.KvClient}, or a {@link io.kvorum.api.BlockingKvClient}.
 *
 * <pre>{@code
 * @KvSim(seeds = 100, storm = {Storm.KILL, Storm.PARTITION})
 * void whatWasPutIsRead(BlockingKvClient kv) {
 *   kv.put(key, value);
 *   assertThat(kv.get(key).value()).contains(value);
 * }
 * }</pre>
 *
 * <p>A test fails by itself, or because the cluster breaks a promise; the message ends with the
 * line that replays it, and no further seed runs. {@code -Dkvorum.seed=N} runs that seed instead of
 * the annotation's, and with {@code -Dkvorum.seeds=M} so many from there on; alone, that changes
 * how many seeds run.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@TestTemplate
@ExtendWith(KvSimExtension.class)
public @interface KvSim {
  /** The first seed. */
  long seed() default 1;

  /** How many seeds, each one above the last; at least 1. */
  int seeds() default 1;

  /** How many nodes, 1 to 7. */
  int nodes() default 3;

  /** Kinds of faults that strike from the beginning of the test method on. */
  Storm[] storm() default {};

  /** For how long they strike, in virtual time; afterwards all is healed. */
  long stormMillis() default 10_000;

  /** Whether, after the test, all is healed, has to serve, and to come to rest. */
  boolean recovery() default false;
}
