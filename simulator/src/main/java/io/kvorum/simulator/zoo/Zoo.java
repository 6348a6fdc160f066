package io.kvorum.simulator.zoo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Plants each known bug in turn and sees how many seeds the simulator needs to find it. A bug that
 * stays hidden shows a hole in the checks or in the faults, not in the product.
 */
public final class Zoo {
  private final Planter planter;
  private final List<PlantedBug> bugs;

  /**
   * The zoo of a checkout.
   *
   * @param root where the sources are
   * @param only names of bugs; empty for all
   * @throws IllegalArgumentException if a name is unknown, or there is no zoo
   */
  public Zoo(Path root, List<String> only) {
    planter = new Planter(root);
    List<PlantedBug> all = Bugs.in(root);
    for (String name : only) {
      if (all.stream().noneMatch(bug -> bug.name().equals(name))) {
        throw new IllegalArgumentException(
            "no bug " + name + "; there are " + all.stream().map(PlantedBug::name).toList());
      }
    }
    bugs = all.stream().filter(bug -> only.isEmpty() || only.contains(bug.name())).toList();
  }

  /**
   * What became of one bug.
   *
   * @param seeds how many were run, the one that found it included
   * @param seed that found it; meaningless when it was missed
   * @param finding the checker that saw it and what it said; null when it was missed
   */
  public record Verdict(
      String name, String title, String faults, int seeds, long seed, @Nullable String finding) {
    public boolean isFound() {
      return finding != null;
    }

    /** The name of the checker that saw it. */
    public String checker() {
      return finding == null ? "" : finding.substring(0, finding.indexOf(' '));
    }
  }

  /**
   * Hunts the bugs.
   *
   * @param from the first seed; the others follow it
   * @param seedsMax after which a bug counts as missed
   * @param threads how many bugs at a time
   * @param progress hears each verdict, in order of name
   */
  public List<Verdict> hunt(long from, int seedsMax, int threads, Consumer<Verdict> progress) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Verdict>> hunts = new ArrayList<>();
      for (PlantedBug bug : bugs) {
        hunts.add(pool.submit(() -> hunt(bug, from, seedsMax)));
      }
      List<Verdict> verdicts = new ArrayList<>();
      for (Future<Verdict> hunt : hunts) {
        Verdict verdict = hunt.get();
        verdicts.add(verdict);
        progress.accept(verdict);
      }
      return verdicts;
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", stopped);
    } finally {
      pool.shutdownNow();
    }
  }

  private Verdict hunt(PlantedBug bug, long from, int seedsMax) {
    LongFunction<@Nullable String> probe = probe(planter.plant(bug));
    for (int i = 0; i < seedsMax; i++) {
      String finding = probe.apply(from + i);
      if (finding != null) {
        return new Verdict(bug.name(), bug.title(), bug.faults(), i + 1, from + i, finding);
      }
    }
    return new Verdict(bug.name(), bug.title(), bug.faults(), seedsMax, 0, null);
  }

  /** As a hunt, but with no bug planted: what it finds, or null. */
  @Nullable String huntNothing(long from, int seeds) {
    LongFunction<@Nullable String> probe = probe(Map.of());
    String finding = null;
    for (int i = 0; i < seeds && finding == null; i++) {
      finding = probe.apply(from + i);
    }
    return finding;
  }

  @SuppressWarnings("unchecked")
  private static LongFunction<@Nullable String> probe(Map<String, byte[]> planted) {
    PlantedLoader loader = new PlantedLoader(Zoo.class.getClassLoader(), planted);
    try {
      Class<?> probe = loader.loadClass(SeedProbe.class.getName());
      return (LongFunction<@Nullable String>) probe.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the simulator cannot be loaded a second time", e);
    }
  }

  /** Whether every bug still fits the sources and compiles; throws what does not. */
  void checkAll() {
    bugs.forEach(planter::plant);
  }

  List<PlantedBug> bugs() {
    return bugs;
  }
}
