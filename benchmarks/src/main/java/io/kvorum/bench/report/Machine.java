package io.kvorum.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the benchmark ran on: figures from different machines do not compare. */
public final class Machine {
  private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*:\\s*(.*)$");
  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal:\\s*(\\d+) kB$");
  private static final int KIB_OF_MIB = 1024;
  private static final String MEMORY_FILE_SYSTEM = "tmpfs";

  private Machine() {}

  /**
   * Names and values, in order.
   *
   * @param proc where the kernel shows itself
   * @param data where the servers keep their data
   */
  public static Map<String, String> describe(Path proc, Path data) throws IOException {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("processor", find(MODEL, Files.readString(proc.resolve("cpuinfo"))));
    machine.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    String kib = find(MEMORY, Files.readString(proc.resolve("meminfo")));
    machine.put("memory_mib", Long.toString(Long.parseLong(kib) / KIB_OF_MIB));
    machine.put("kernel", System.getProperty("os.version"));
    machine.put("file_system", Files.getFileStore(data).type());
    machine.put("jdk", System.getProperty("java.vendor") + " " + Runtime.version());
    return machine;
  }

  /** What a reader of figures from there must know. */
  public static List<String> notes(Map<String, String> machine) {
    return MEMORY_FILE_SYSTEM.equals(machine.get("file_system"))
        ? List.of("note: the data is kept in memory, where a sync costs nothing; see --dir")
        : List.of();
  }

  private static String find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "0";
  }
}
