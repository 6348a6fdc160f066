package io.kvorum.server;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What can be set for a server process: by a flag {@code --name}, by an environment variable {@code
 * KVORUM_NAME}, or in the configuration file as {@code name: value}; the first of these that is
 * given counts.
 */
public enum Setting {
  NODE_ID("node-id", "n1", "Name of this node; one of the members."),
  CLUSTER_ID("cluster-id", "kvorum", "Name of the cluster; a node never talks to another one."),
  DATA_DIR("data-dir", "kvorum-data", "Directory for everything the node remembers."),
  MEMBERS(
      "members",
      "n1=127.0.0.1:7400:7500",
      "All members that a new cluster begins with, the same on each: id=host:clientPort:peerPort,"
          + " separated by commas. Later the cluster itself knows them: see kvorum members."),
  JOIN(
      "join",
      "false",
      "Whether a new data directory waits to be added to a cluster that exists; members are then"
          + " the present ones and this node."),
  ELECTION_TIMEOUT_MILLIS(
      "election-timeout-millis",
      "500",
      "Silence of the leader after which another is elected, at least; at most twice that."),
  HEARTBEAT_MILLIS("heartbeat-millis", "100", "Between two messages of an idle leader."),
  SEGMENT_MIB("segment-mib", "64", "Size of a file of the log, in MiB; 8 to 1024."),
  LOG_WRITE("log-write", "channel", "How the log is written: channel or mapped."),
  BLOCK_CACHE_MIB("block-cache-mib", "64", "RocksDB's block cache, in MiB."),
  LEASE_READS(
      "lease-reads",
      "false",
      "Whether the leader keeps a lease for reads that ask for one; the same on all members."),
  PREFERRED_LEADERS(
      "preferred-leaders",
      "",
      "Who should lead, best first, separated by commas; the same on all members."),
  QUIET_AFTER_MILLIS(
      "quiet-after-millis",
      "0",
      "Idleness after which the group stops its heartbeats; 0: never. The same on all members."),
  COMPACTION_KEEP_REVISIONS(
      "compaction-keep-revisions",
      "1000000",
      "How many of the newest revisions can be read, at least; 0: this decides nothing."),
  COMPACTION_KEEP_MILLIS(
      "compaction-keep-millis",
      "0",
      "How long what was replaced can still be read, at least; 0: this decides nothing. If neither"
          + " decides, history is kept until kvorum compact."),
  SNAPSHOT_LOG_MIB(
      "snapshot-log-mib",
      "256",
      "A snapshot is taken when so much of the log was applied since the last one, in MiB; 0: this"
          + " decides nothing."),
  SNAPSHOT_INTERVAL_MILLIS(
      "snapshot-interval-millis",
      "0",
      "And when the last one is so old, if anything was written since; 0: this decides nothing. If"
          + " neither decides, the log grows for ever."),
  LOG_BUDGET_MIB(
      "log-budget-mib",
      "1024",
      "How much of the log stays for members that are behind, in MiB; who needs more gets a"
          + " snapshot. A quarter of it stays in any case."),
  SNAPSHOT_SEND_MIB(
      "snapshot-send-mib", "64", "How fast snapshots are sent, in MiB a second, to all together."),
  DISK_LOW_MIB(
      "disk-low-mib",
      "",
      "With less space on the disk than that, in MiB, a node takes nothing that needs space, and"
          + " has another one lead; 0: space is not watched. Empty: three segments of the log."),
  DISK_RESERVE_MIB(
      "disk-reserve-mib",
      "",
      "Size of a file that is given up when a third of that is left, so that the node itself can go"
          + " on, in MiB; 0: none. Empty: a quarter of a segment."),
  ARCHIVE_DIR(
      "archive-dir",
      "",
      "Directory to which the log is copied, compressed, before it is cut: with it and a backup,"
          + " kvorum restore reaches every revision and time. Empty: none."),
  ARCHIVE_INTERVAL_MILLIS(
      "archive-interval-millis",
      "10000",
      "What was written is in the archive after this time, at the latest."),
  METRICS(
      "metrics",
      "",
      "Where the process answers GET /metrics in Prometheus' format, to whoever asks: host:port;"
          + " empty: nowhere.");

  private final String key;
  private final String defaultValue;
  private final String description;

  Setting(String key, String defaultValue, String description) {
    this.key = key;
    this.defaultValue = defaultValue;
    this.description = description;
  }

  /** Its name in the configuration file, and behind {@code --}. */
  public String key() {
    return key;
  }

  public String defaultValue() {
    return defaultValue;
  }

  /** One sentence for people. */
  public String description() {
    return description;
  }

  /** Its name among the environment variables. */
  public String variable() {
    return "KVORUM_" + name();
  }

  static Optional<Setting> ofKey(String key) {
    return Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
  }

  static Optional<Setting> ofVariable(String variable) {
    return Arrays.stream(values())
        .filter(setting -> setting.variable().equals(variable.toUpperCase(Locale.ROOT)))
        .findFirst();
  }

  static List<String> keys() {
    return Arrays.stream(values()).map(Setting::key).toList();
  }
}
