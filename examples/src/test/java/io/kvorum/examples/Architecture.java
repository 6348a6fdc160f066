package io.kvorum.examples;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The rules about which part of Kvorum may know what. They are stated for any root package, so that
 * they can be run over classes that break them, too.
 */
final class Architecture {
  /** Each module's own packages, below the root. */
  static final Map<String, List<String>> PACKAGES =
      Map.ofEntries(
          Map.entry("testkit", List.of("testkit")),
          Map.entry("raft-core", List.of("raft")),
          Map.entry("disk", List.of("disk")),
          Map.entry("log-store", List.of("log")),
          Map.entry("snapshot", List.of("snapshot")),
          Map.entry("raft-node", List.of("node")),
          Map.entry("kv-api", List.of("api", "protocol")),
          Map.entry("kv-client", List.of("client")),
          Map.entry("kv-server", List.of("server")),
          Map.entry("simulator", List.of("simulator")),
          Map.entry("kv-cli", List.of("cli")),
          Map.entry("benchmarks", List.of("bench")),
          Map.entry("examples", List.of("examples")));

  /** Whom each module may know: the arrows of the design, and what lies behind them. */
  private static final Map<String, List<String>> ARROWS =
      Map.ofEntries(
          Map.entry("testkit", List.of()),
          Map.entry("raft-core", List.of()),
          Map.entry("disk", List.of()),
          Map.entry("kv-api", List.of()),
          Map.entry("log-store", List.of("raft-core", "disk")),
          Map.entry("snapshot", List.of("raft-core", "disk")),
          Map.entry("raft-node", List.of("log-store", "snapshot", "raft-core", "disk")),
          Map.entry("kv-client", List.of("kv-api")),
          Map.entry(
              "kv-server",
              List.of(
                  "kv-api",
                  "kv-client",
                  "raft-node",
                  "log-store",
                  "snapshot",
                  "raft-core",
                  "disk")),
          Map.entry(
              "simulator",
              List.of(
                  "kv-server",
                  "kv-client",
                  "kv-api",
                  "raft-node",
                  "raft-core",
                  "log-store",
                  "snapshot",
                  "disk",
                  "testkit")),
          Map.entry(
              "kv-cli",
              List.of("kv-api", "kv-client", "kv-server", "raft-node", "raft-core", "disk")),
          Map.entry(
              "benchmarks",
              List.of("kv-api", "kv-client", "kv-server", "raft-node", "kv-cli", "testkit")),
          Map.entry(
              "examples",
              List.of("kv-api", "kv-client", "kv-server", "raft-node", "raft-core", "disk")));

  /** What opens, reads, lists or locks files. A {@code Path} alone only names one. */
  private static final Pattern FILE_TYPE =
      Pattern.compile(
          "java\\.nio\\.file\\.(?!Path$).*"
              + "|java\\.nio\\.channels\\.(Asynchronous)?File(Channel|Lock).*"
              + "|java\\.io\\.(RandomAccessFile|File((Input|Output)Stream|Reader|Writer)?)");

  /** Netty, and the JDK's own sockets. An address alone opens none. */
  private static final Pattern SOCKET_TYPE =
      Pattern.compile(
          "io\\.netty\\..*|java\\.net\\.http\\..*"
              + "|java\\.net\\.(Server|Datagram|Multicast)?Socket|java\\.net\\.\\w*URLConnection"
              + "|java\\.nio\\.channels\\.\\w*(Socket|Datagram|Selector|Selectable)\\w*");

  private static final Pattern CLOCK_CALL =
      Pattern.compile(
          "java\\.lang\\.System\\.(nanoTime|currentTimeMillis)|java\\.time\\.\\w+\\.now"
              + "|java\\.time\\.Clock\\.(system|tick)\\w*");

  private static final String[] DEPENDENCIES = {
    "io.netty..", "com.google.protobuf..", "org.rocksdb..", "org.slf4j.."
  };

  private final String root;

  /**
   * @param root the package that holds those of the modules
   */
  Architecture(String root) {
    this.root = root;
  }

  ArchRule arrowsPointOneWay() {
    LayeredArchitecture layers =
        layeredArchitecture().consideringOnlyDependenciesInLayers().withOptionalLayers(true);
    for (String module : PACKAGES.keySet()) {
      layers = layers.layer(module).definedBy(packagesOf(module));
    }
    for (Map.Entry<String, List<String>> arrows : ARROWS.entrySet()) {
      var layer = layers.whereLayer(arrows.getKey());
      layers =
          arrows.getValue().isEmpty()
              ? layer.mayNotAccessAnyLayer()
              : layer.mayOnlyAccessLayers(arrows.getValue().toArray(String[]::new));
    }
    return layers;
  }

  ArchRule theCoreDependsOnNothing() {
    return classes()
        .that()
        .resideInAnyPackage(packagesOf("raft-core"))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(packagesOf("raft-core"))
                .or(
                    resideInAnyPackage(
                        "java.lang..",
                        "java.util",
                        "java.util.function",
                        "java.util.random",
                        "java.util.stream",
                        "org.jspecify.annotations"))
                .and(DescribedPredicate.not(JavaClass.Predicates.type(Thread.class))))
        .because("Raft is a pure function: no I/O, no threads, no clock");
  }

  /**
   * Besides the disk, some touch files of the user, never the node's state: the command lines, the
   * reader of the server's configuration file, and the examples; and who tests, or measures, with
   * real clusters.
   */
  ArchRule onlyTheDiskTouchesFiles() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(packagesOf("disk", "kv-cli", "testkit", "benchmarks", "examples"))
        .and()
        .resideOutsideOfPackages(
            root + ".simulator.cli..", root + ".simulator.junit..", root + ".simulator.zoo..")
        .and()
        .doNotHaveFullyQualifiedName(root + ".server.Settings")
        .should()
        .dependOnClassesThat(named("touch files", FILE_TYPE))
        .because("what a crash leaves behind is decided, and simulated, in one place");
  }

  /**
   * Besides the transports, the command line asks the system which ports are free; and the limits
   * of the machine are measured without Kvorum.
   */
  ArchRule onlyTransportsUseSockets() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(
            root + ".node.netty..",
            root + ".client..",
            root + ".server.net..",
            root + ".bench.limits..")
        .and()
        .doNotHaveFullyQualifiedName(root + ".cli.process.Ports")
        .should()
        .dependOnClassesThat(named("use the network", SOCKET_TYPE))
        .because("the simulator's network takes the place of these packages");
  }

  /** Besides the store's, only the benchmark of RocksDB itself knows it. */
  ArchRule rocksDbStandsInOnePackage() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(root + ".server.store.rocks..", root + ".bench.limits..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.rocksdb..");
  }

  ArchRule packagesAreFreeOfCycles() {
    return slices().matching(root + ".(**)").should().beFreeOfCycles();
  }

  ArchRule theApiNamesNoDependency() {
    return classes()
        .that()
        .resideInAPackage(root + ".api..")
        .and()
        .arePublic()
        .should(new NameInSignature(resideInAnyPackage(DEPENDENCIES)))
        .because("who embeds Kvorum must not meet its dependencies");
  }

  ArchRule onlyTheSystemClockReadsTheClock() {
    return noClasses()
        .that()
        .doNotHaveSimpleName("SystemClock")
        .and()
        .resideOutsideOfPackages(packagesOf("testkit"))
        .should()
        .accessTargetWhere(describe("the target is a clock", Architecture::readsClock))
        .because("in the simulator, time is virtual");
  }

  /** The simulator is a tool for tests, as a whole; and the benchmarks check what they measure. */
  ArchRule productionKnowsNoTests() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(packagesOf("testkit", "simulator", "benchmarks"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(root + ".testkit..", "org.junit..", "org.assertj..", "net.jqwik..");
  }

  /** Every rule by its name. */
  Map<String, ArchRule> rules() {
    return Map.of(
        "arrowsPointOneWay", arrowsPointOneWay(),
        "theCoreDependsOnNothing", theCoreDependsOnNothing(),
        "onlyTheDiskTouchesFiles", onlyTheDiskTouchesFiles(),
        "onlyTransportsUseSockets", onlyTransportsUseSockets(),
        "rocksDbStandsInOnePackage", rocksDbStandsInOnePackage(),
        "packagesAreFreeOfCycles", packagesAreFreeOfCycles(),
        "theApiNamesNoDependency", theApiNamesNoDependency(),
        "onlyTheSystemClockReadsTheClock", onlyTheSystemClockReadsTheClock(),
        "productionKnowsNoTests", productionKnowsNoTests());
  }

  private String[] packagesOf(String... modules) {
    return Arrays.stream(modules)
        .flatMap(module -> PACKAGES.get(module).stream())
        .map(name -> root + "." + name + "..")
        .toArray(String[]::new);
  }

  private static DescribedPredicate<JavaClass> named(String what, Pattern pattern) {
    return describe(what, type -> pattern.matcher(type.getName()).matches());
  }

  private static boolean readsClock(JavaAccess<?> access) {
    String name = access.getTargetOwner().getName() + "." + access.getTarget().getName();
    return CLOCK_CALL.matcher(name).matches();
  }
}
