package io.kvorum.simulator.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test a real cluster in this JVM: real threads, sockets and files, real time. It starts
 * before the test method and is gone after it, files included.
 *
 * <p>The method may take a {@link io.kvorum.api.KvClient}, a {@link
 * io.kvorum.api.BlockingKvClient}, or the {@link InProcessCluster} itself, to stop and restart
 * nodes. Stands on a method, or on a class for all its methods.
 *
 * <pre>{@code
 * @Test
 * @KvCluster(nodes = 3)
 * void survivesTheLeader(BlockingKvClient kv, InProcessCluster cluster) {
 *   kv.put(key, value);
 *   cluster.stop(cluster.awaitLeader());
 *   assertThat(kv.get(key).value()).contains(value);
 * }
 * }</pre>
 *
 * <p>For tests that should run in milliseconds and replay from a seed, take the simulator instead.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(KvClusterExtension.class)
public @interface KvCluster {
  /** How many members, 1 to 9. */
  int nodes() default 3;
}
