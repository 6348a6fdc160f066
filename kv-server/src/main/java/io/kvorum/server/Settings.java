package io.kvorum.server;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kvorum.client.Endpoint;
import io.kvorum.disk.WriteMode;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.node.SpaceConfig;
import io.kvorum.raft.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts a server's settings together from a file, the environment and flags. Whatever is unknown or
 * malformed is an {@link IllegalArgumentException} that says where it stands and what is allowed.
 */
public final class Settings {
  /** Variables that begin like ours and are for others: the command line and the launcher. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of(
          "KVORUM_ENDPOINTS",
          "KVORUM_JAVA_OPTS",
          "KVORUM_NO_BUILD",
          "KVORUM_CONFIG",
          "KVORUM_FENCE");

  private static final long MEBIBYTES_MAX = 1 << 20;

  /** What part of the log's budget stays although nobody needs it. */
  private static final int KEPT_DIVISOR = 4;

  private final Map<Setting, String> values;

  private Settings(Map<Setting, String> values) {
    this.values = values;
  }

  /**
   * Reads all sources; a flag counts more than a variable, and a variable more than the file.
   *
   * @param file in YAML, or null for none
   * @param environment of the process; variables that do not begin with {@code KVORUM_} are ignored
   * @throws UncheckedIOException if the file cannot be read
   */
  public static Settings read(
      @Nullable Path file, Map<String, String> environment, Map<Setting, String> flags) {
    Map<Setting, String> values = new EnumMap<>(Setting.class);
    if (file != null) {
      values.putAll(fromFile(file));
    }
    values.putAll(fromEnvironment(environment));
    values.putAll(flags);
    return new Settings(values);
  }

  private static Map<Setting, String> fromFile(Path file) {
    Map<Setting, String> values = new EnumMap<>(Setting.class);
    for (Map.Entry<String, JsonNode> field : parse(file).properties()) {
      Setting setting =
          Setting.ofKey(field.getKey())
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          file
                              + ": unknown key \""
                              + field.getKey()
                              + "\"; allowed are "
                              + String.join(", ", Setting.keys())));
      values.put(setting, text(file, field.getKey(), field.getValue()));
    }
    return values;
  }

  private static JsonNode parse(Path file) {
    try {
      String text = Files.readString(file);
      JsonNode root =
          new YAMLMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION).readTree(text);
      if (text.isBlank() || root.isMissingNode() || root.isNull()) {
        throw new IllegalArgumentException(file + ": holds no settings");
      }
      if (!root.isObject()) {
        throw new IllegalArgumentException(file + ": expected lines of the form \"key: value\"");
      }
      return root;
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(file + ": " + malformed.getMessage(), malformed);
    } catch (NoSuchFileException missing) {
      throw new UncheckedIOException("no configuration file " + file, missing);
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + file, unreadable);
    }
  }

  private static String text(Path file, String key, JsonNode value) {
    if (value.isValueNode() && !value.isNull()) {
      return value.asText();
    }
    if (value.isArray()) {
      List<String> parts = new ArrayList<>();
      value.forEach(part -> parts.add(text(file, key, part)));
      return String.join(",", parts);
    }
    throw new IllegalArgumentException(file + ": \"" + key + "\" needs a value or a list");
  }

  private static Map<Setting, String> fromEnvironment(Map<String, String> environment) {
    Map<Setting, String> values = new EnumMap<>(Setting.class);
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith("KVORUM_") || OTHER_VARIABLES.contains(name)) {
        continue;
      }
      Setting setting =
          Setting.ofVariable(name)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "unknown environment variable "
                              + name
                              + "; allowed are "
                              + String.join(
                                  ", ",
                                  Stream.of(Setting.values()).map(Setting::variable).toList())));
      values.put(setting, variable.getValue());
    }
    return values;
  }

  /**
   * The configuration of a server process, which serves clients.
   *
   * @throws IllegalArgumentException naming the setting that is malformed, or the rule broken
   */
  public ServerConfig toConfig() {
    return ServerConfig.embedded(Path.of(value(Setting.DATA_DIR)))
        .nodeId(nodeId())
        .clusterId(value(Setting.CLUSTER_ID))
        .members(members())
        .join(join())
        .clientPortOpen(true)
        .electionTimeout(Duration.ofMillis(integer(Setting.ELECTION_TIMEOUT_MILLIS)))
        .heartbeat(Duration.ofMillis(integer(Setting.HEARTBEAT_MILLIS)))
        .segmentBytes(Math.toIntExact(mebibytes(Setting.SEGMENT_MIB, 1, 1024)))
        .writeMode(writeMode())
        .blockCacheBytes(mebibytes(Setting.BLOCK_CACHE_MIB, 1, MEBIBYTES_MAX))
        .timing(timing())
        .retention(retention())
        .snapshots(snapshots())
        .space(space())
        .archive(archive())
        .build();
  }

  /**
   * Where the process is to say its metrics, if anywhere.
   *
   * @throws IllegalArgumentException if the setting is malformed
   */
  public Optional<Endpoint> metrics() {
    String text = value(Setting.METRICS).strip();
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(Endpoint.parse(text));
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(
          Setting.METRICS.key() + ": " + malformed.getMessage(), malformed);
    }
  }

  private String value(Setting setting) {
    return values.getOrDefault(setting, setting.defaultValue());
  }

  private ServerConfig.Timing timing() {
    List<NodeId> preferred = new ArrayList<>();
    String text = value(Setting.PREFERRED_LEADERS).strip();
    for (String name : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      preferred.add(new NodeId(name.strip()));
    }
    return new ServerConfig.Timing(
        flag(Setting.LEASE_READS),
        preferred,
        Duration.ofMillis(integer(Setting.QUIET_AFTER_MILLIS)));
  }

  private Retention retention() {
    long revisions = wholeNumber(Setting.COMPACTION_KEEP_REVISIONS);
    long millis = wholeNumber(Setting.COMPACTION_KEEP_MILLIS);
    return new Retention(revisions, Duration.ofMillis(millis));
  }

  private SnapshotConfig snapshots() {
    long budgetBytes = mebibytes(Setting.LOG_BUDGET_MIB, 0, MEBIBYTES_MAX);
    return SnapshotConfig.DEFAULT
        .withLogBytes(mebibytes(Setting.SNAPSHOT_LOG_MIB, 0, MEBIBYTES_MAX))
        .withInterval(Duration.ofMillis(wholeNumber(Setting.SNAPSHOT_INTERVAL_MILLIS)))
        .withLogBounds(budgetBytes / KEPT_DIVISOR, budgetBytes)
        .withSendBytesPerSecond(mebibytes(Setting.SNAPSHOT_SEND_MIB, 1, MEBIBYTES_MAX));
  }

  private SpaceConfig space() {
    SpaceConfig usual = SpaceConfig.of(mebibytes(Setting.SEGMENT_MIB, 1, 1024));
    boolean isGiven = !value(Setting.DISK_LOW_MIB).isBlank();
    long low = isGiven ? mebibytes(Setting.DISK_LOW_MIB, 0, MEBIBYTES_MAX) : usual.lowBytes();
    long reserve = Math.min(usual.reserveBytes(), low / SpaceConfig.RESERVE_MAX_DIVISOR);
    if (!value(Setting.DISK_RESERVE_MIB).isBlank()) {
      reserve = mebibytes(Setting.DISK_RESERVE_MIB, 0, MEBIBYTES_MAX);
    }
    return SpaceConfig.withMarks(reserve, low);
  }

  private ServerConfig.@Nullable Archive archive() {
    String directory = value(Setting.ARCHIVE_DIR).strip();
    Duration interval = Duration.ofMillis(wholeNumber(Setting.ARCHIVE_INTERVAL_MILLIS));
    return directory.isEmpty() ? null : new ServerConfig.Archive(Path.of(directory), interval);
  }

  private boolean flag(Setting setting) {
    String text = value(setting).strip().toLowerCase(Locale.ROOT);
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException(
          setting.key() + " must be true or false, was \"" + text + "\"");
    }
    return text.equals("true");
  }

  private String nodeId() {
    return new NodeId(value(Setting.NODE_ID)).name();
  }

  private List<Member> members() {
    List<Member> members = new ArrayList<>();
    for (String part : value(Setting.MEMBERS).split(",", -1)) {
      members.add(Member.parse(part.strip()));
    }
    return members;
  }

  private boolean join() {
    String text = value(Setting.JOIN);
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              Setting.JOIN.key() + " must be true or false, was \"" + text + "\"");
    };
  }

  private long integer(Setting setting) {
    long number = wholeNumber(setting);
    if (number != (int) number) {
      throw new IllegalArgumentException(setting.key() + " is too large: " + number);
    }
    return number;
  }

  private long wholeNumber(Setting setting) {
    String text = value(setting);
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          setting.key() + " must be a whole number, was \"" + text + "\"", notANumber);
    }
  }

  private long mebibytes(Setting setting, long least, long most) {
    long mebibytes = integer(setting);
    if (mebibytes < least || mebibytes > most) {
      throw new IllegalArgumentException(
          setting.key() + " must be " + least + " to " + most + " MiB, was " + mebibytes);
    }
    return mebibytes << 20;
  }

  private WriteMode writeMode() {
    String text = value(Setting.LOG_WRITE);
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "channel" -> WriteMode.CHANNEL;
      case "mapped" -> WriteMode.MAPPED;
      default ->
          throw new IllegalArgumentException(
              Setting.LOG_WRITE.key() + " must be channel or mapped, was \"" + text + "\"");
    };
  }
}
