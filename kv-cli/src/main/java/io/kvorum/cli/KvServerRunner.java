package io.kvorum.cli;

import io.kvorum.server.KvServer;
import io.kvorum.server.Setting;
import io.kvorum.server.Settings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs the server of {@code kv-server}. */
final class KvServerRunner implements ServerRunner {
  @Override
  public List<Flag> flags() {
    return Arrays.stream(Setting.values())
        .map(setting -> new Flag(setting.key(), setting.defaultValue(), setting.description()))
        .toList();
  }

  @Override
  public int run(
      @Nullable Path file,
      Map<String, String> environment,
      Map<String, String> flags,
      PrintStream out,
      PrintStream err) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      String value = flags.get(setting.key());
      if (value != null) {
        settings.put(setting, value);
      }
    }
    Settings read = Settings.read(file, environment, settings);
    return KvServer.run(read.toConfig(), MetricsPort.at(read.metrics()), out, err);
  }
}
