package io.kvorum.node.netty;

import io.kvorum.testkit.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Catches buffers that were forgotten. Netty notices one when the collector has taken it; so a
 * check leaks a canary on purpose, and once that is reported, so is whatever was lost before.
 */
final class Leaks {
  private static final String CANARY = "canary";
  private static final List<String> REPORTS = new CopyOnWriteArrayList<>();

  private Leaks() {}

  /** Must run before the first buffer of the JVM is made. */
  static void watch() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    if (ResourceLeakDetectorFactory.instance() instanceof Factory) {
      return;
    }
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Factory());
  }

  /** The leaks reported so far, those of canaries left out. */
  static List<String> found() {
    String canary = CANARY + System.nanoTime();
    leak(canary);
    Await.until(
        "the report of a buffer leaked on purpose",
        Duration.ofSeconds(20),
        () -> {
          System.gc();
          // Netty looks for reports when the next buffer is made.
          PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
          return REPORTS.stream().anyMatch(report -> report.contains(canary));
        });
    return REPORTS.stream().filter(report -> !report.contains(CANARY)).toList();
  }

  private static void leak(String name) {
    ByteBuf canary = PooledByteBufAllocator.DEFAULT.directBuffer(16);
    canary.touch(name);
  }

  private static final class Factory extends ResourceLeakDetectorFactory {
    @Override
    @Deprecated
    @SuppressWarnings("deprecation") // The one abstract method of Netty's class.
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return new Detector<>(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval) {
      return new Detector<>(resource, samplingInterval);
    }
  }

  private static final class Detector<T> extends ResourceLeakDetector<T> {
    Detector(Class<T> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected boolean needReport() {
      return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      REPORTS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      REPORTS.add(resourceType);
    }
  }
}
