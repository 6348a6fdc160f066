package io.kvorum.simulator.junit;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs a {@link KvSim} test once for each of its seeds, up to the first that fails. */
final class KvSimExtension implements TestTemplateInvocationContextProvider {
  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getElement(), KvSim.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    KvSim wanted =
        AnnotationSupport.findAnnotation(context.getElement(), KvSim.class).orElseThrow();
    AtomicBoolean failed = new AtomicBoolean();
    // Asked for one by one, each when the one before has run.
    return seeds(wanted)
        .takeWhile(seed -> !failed.get())
        .mapToObj(seed -> new KvSimInvocation(seed, wanted, () -> failed.set(true)));
  }

  /** Those of the annotation, unless the command line says otherwise. */
  private static LongStream seeds(KvSim wanted) {
    Long first = number("kvorum.seed");
    Long many = number("kvorum.seeds");
    long from = first == null ? wanted.seed() : first;
    long usual = first == null ? wanted.seeds() : 1;
    long count = many == null ? usual : many;
    if (count < 1) {
      throw new IllegalArgumentException("a test has at least one seed, not " + count);
    }
    return LongStream.range(0, count).map(i -> from + i);
  }

  /** A mistyped number must not silently run other seeds. */
  private static @Nullable Long number(String property) {
    String text = System.getProperty(property);
    if (text == null || text.isBlank()) {
      return null;
    }
    try {
      return Long.valueOf(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("-D" + property + " is no number: " + text, e);
    }
  }
}
