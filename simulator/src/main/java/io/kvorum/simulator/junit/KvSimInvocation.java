package io.kvorum.simulator.junit;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.KvClient;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * One run of a {@link KvSim} test: its cluster, made when first asked for, judged when the method
 * has ended.
 */
final class KvSimInvocation
    implements TestTemplateInvocationContext, ParameterResolver, InvocationInterceptor {
  private final long seed;
  private final KvSim wanted;
  private final Runnable whenFailed;
  private @Nullable SimCluster started;

  KvSimInvocation(long seed, KvSim wanted, Runnable whenFailed) {
    this.seed = seed;
    this.wanted = wanted;
    this.whenFailed = whenFailed;
  }

  @Override
  public String getDisplayName(int invocationIndex) {
    return "seed " + seed;
  }

  @Override
  public List<Extension> getAdditionalExtensions() {
    return List.of(this);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == SimCluster.class || type == KvClient.class || type == BlockingKvClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    if (type == SimCluster.class) {
      return cluster();
    }
    KvClient client = cluster().client();
    return type == KvClient.class ? client : client.blocking();
  }

  private SimCluster cluster() {
    if (started == null) {
      started = SimCluster.start(new SimCluster.Options(seed, wanted.nodes(), wanted.recovery()));
    }
    return started;
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    try (SimCluster cluster = cluster()) {
      if (wanted.storm().length > 0) {
        cluster.faults().storm(Duration.ofMillis(wanted.stormMillis()), wanted.storm());
      }
      invocation.proceed();
    } catch (TestAbortedException aborted) {
      // An assumption does not hold here: that is no failure of this seed.
      throw aborted;
    } catch (Throwable failure) {
      // Whatever it was, the seed must reach the reader together with it.
      whenFailed.run();
      throw new AssertionError(
          "seed " + seed + " failed: " + failure + "\n  replay: " + replay(), failure);
    }
  }

  /** What runs this seed alone. */
  private String replay() {
    StringBuilder line = new StringBuilder("@KvSim(seed = ").append(seed);
    line.append(", nodes = ").append(wanted.nodes());
    if (wanted.storm().length > 0) {
      String kinds =
          Arrays.stream(wanted.storm())
              .map(Storm::name)
              .map("Storm."::concat)
              .collect(Collectors.joining(", "));
      line.append(", storm = {").append(kinds).append("}, stormMillis = ");
      line.append(wanted.stormMillis());
    }
    if (wanted.recovery()) {
      line.append(", recovery = true");
    }
    return line.append(") or -Dkvorum.seed=").append(seed).toString();
  }
}
