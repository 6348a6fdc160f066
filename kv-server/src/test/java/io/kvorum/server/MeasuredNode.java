package io.kvorum.server;

import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A node in a process of its own, which watches how much memory it needs; see {@link JoinTime}. */
final class MeasuredNode {
  private static final String HEAP = "-Xmx384m";
  private static final long SAMPLE_NANOS = 50_000_000;

  /** Begins each answer; other lines are what the node logs. */
  private static final String ANSWER = "> ";

  private final String id;
  private final Process process;
  private final BufferedReader said;
  private final BufferedWriter told;

  private MeasuredNode(String id, Process process) {
    this.id = id;
    this.process = process;
    said = process.inputReader();
    told = process.outputWriter();
  }

  /** Returns when the node serves. */
  static MeasuredNode start(Path directory, ServerConfig config, long logBytes) {
    String id = config.nodeId().name();
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            HEAP,
            "-cp",
            System.getProperty("java.class.path"),
            MeasuredNode.class.getName(),
            directory.toString(),
            id,
            Boolean.toString(config.join()),
            config.members().stream().map(MeasuredNode::text).collect(Collectors.joining(",")),
            Long.toString(logBytes));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      MeasuredNode node = new MeasuredNode(id, process);
      node.answer("");
      return node;
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot start " + id, failed);
    }
  }

  private static String text(Member member) {
    return member.id().name()
        + "="
        + member.host()
        + ":"
        + member.clientPort()
        + ":"
        + member.peerPort();
  }

  String id() {
    return id;
  }

  void resetPeak() {
    answer("reset");
  }

  /** What it needed at most since {@link #resetPeak}, in words. */
  String peak() {
    return answer("peak");
  }

  void kill() {
    process.destroyForcibly();
  }

  private String answer(String question) {
    try {
      if (!question.isEmpty()) {
        told.write(question + "\n");
        told.flush();
      }
      String line = said.readLine();
      while (line != null && !line.startsWith(ANSWER)) {
        line = said.readLine();
      }
      if (line == null) {
        throw new IllegalStateException(id + " has ended");
      }
      return line.substring(ANSWER.length());
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot talk to " + id, failed);
    }
  }

  // ---- in the process of the node ----

  /** Directory, node id, whether it joins, all members, and bytes between two snapshots. */
  public static void main(String[] arguments) throws IOException {
    List<Member> members = new ArrayList<>();
    for (String member : arguments[3].split(",", -1)) {
      members.add(Member.parse(member));
    }
    Peak peak = new Peak();
    Thread sampler = new Thread(peak::run, "sampler");
    sampler.setDaemon(true);
    sampler.start();
    KvNode node =
        KvNode.start(
            JoinTime.config(
                Path.of(arguments[0]),
                arguments[1],
                members,
                Boolean.parseBoolean(arguments[2]),
                Long.parseLong(arguments[4])));
    System.out.println(ANSWER + "serves");
    BufferedReader questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String question = questions.readLine();
    while (question != null) {
      if (question.equals("reset")) {
        peak.reset();
      }
      System.out.println(ANSWER + peak);
      question = questions.readLine();
    }
    node.close();
  }

  /** The most memory of each kind that a sample has found. */
  private static final class Peak {
    private long heap;
    private long afterCollection;
    private long direct;
    private long resident;

    void run() {
      while (true) {
        sample();
        LockSupport.parkNanos(SAMPLE_NANOS);
      }
    }

    private synchronized void sample() {
      Runtime runtime = Runtime.getRuntime();
      heap = Math.max(heap, runtime.totalMemory() - runtime.freeMemory());
      for (var pool : ManagementFactory.getMemoryPoolMXBeans()) {
        if (pool.getName().contains("Old Gen") || pool.getName().contains("Tenured")) {
          var usage = pool.getCollectionUsage();
          afterCollection = Math.max(afterCollection, usage == null ? 0 : usage.getUsed());
        }
      }
      long buffers = Math.max(0, PlatformDependent.usedDirectMemory());
      for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
        buffers += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
      }
      direct = Math.max(direct, buffers);
      resident = Math.max(resident, residentBytes());
    }

    private static long residentBytes() {
      try {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
          if (line.startsWith("VmRSS:")) {
            return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
          }
        }
        return 0;
      } catch (IOException notLinux) {
        return 0;
      }
    }

    synchronized void reset() {
      heap = 0;
      afterCollection = 0;
      direct = 0;
      resident = 0;
    }

    @Override
    public synchronized String toString() {
      return String.format(
          Locale.ROOT,
          "heap %,d MiB of %s (%,d after a collection), direct %,d MiB, resident %,d MiB",
          heap >> 20,
          HEAP,
          afterCollection >> 20,
          direct >> 20,
          resident >> 20);
    }
  }
}
