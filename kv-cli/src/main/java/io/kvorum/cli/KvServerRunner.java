package io.kvorum.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs the server of {@code kv-server}. */
final class KvServerRunner implements ServerRunner {
  @Override
  public List<Flag> flags() {
    return List.of();
  }

  @Override
  public int run(
      @Nullable Path file,
      Map<String, String> environment,
      Map<String, String> flags,
      PrintStream out,
      PrintStream err) {
    err.println("kvorum: this build carries no server");
    return ExitCode.RESOURCE;
  }
}
