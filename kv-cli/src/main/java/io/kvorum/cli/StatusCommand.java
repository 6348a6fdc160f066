package io.kvorum.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.SpaceUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code kvorum status}. */
@Command(
    name = "status",
    description = {
      "Ask each endpoint, and each member that they name, what it says of itself.",
      "With exit code 3 when none answers."
    })
final class StatusCommand extends ClientCommand {
  private static final List<String> COLUMNS =
      List.of(
          "ENDPOINT",
          "NODE",
          "ROLE",
          "TERM",
          "LEADER",
          "LAST",
          "DURABLE",
          "COMMITTED",
          "APPLIED",
          "REVISION",
          "USED",
          "DISK",
          "DURABILITY",
          "VERSION");

  StatusCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  /** What an endpoint said, or why it said nothing. */
  private record Answer(String endpoint, @Nullable NodeStatus status, @Nullable String failure) {}

  @Override
  void check() {
    // Nothing to check: there are no arguments.
  }

  @Override
  int run(Connection connection, Output out) {
    Map<String, Answer> answers = new LinkedHashMap<>();
    ask(connection, new LinkedHashSet<>(options().endpoints(terminal())), answers);
    ask(connection, membersNotAsked(answers), answers);
    List<Answer> all = List.copyOf(answers.values());
    if (options().json()) {
      all.forEach(answer -> json(answer, out));
    } else {
      table(all, out);
      problems(all, out);
      features(all, out);
      clusters(all).forEach(id -> out.line("cluster: " + id));
    }
    boolean any = all.stream().anyMatch(answer -> answer.status() != null);
    return any ? ExitCode.DONE : ExitCode.UNAVAILABLE;
  }

  /** All at once: the slowest sets the time, not the sum. */
  private static void ask(
      Connection connection, Set<String> endpoints, Map<String, Answer> answers) {
    Map<String, CompletableFuture<NodeStatus>> asked = new LinkedHashMap<>();
    endpoints.forEach(endpoint -> asked.put(endpoint, connection.status(endpoint)));
    asked.forEach((endpoint, future) -> answers.put(endpoint, await(endpoint, future)));
  }

  private static Answer await(String endpoint, CompletableFuture<NodeStatus> future) {
    try {
      return new Answer(endpoint, future.join(), null);
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof KvException expected) {
        return new Answer(endpoint, null, expected.getMessage());
      }
      throw failed;
    }
  }

  /** A member may be known by another address than the one we were given: go by node id. */
  private static Set<String> membersNotAsked(Map<String, Answer> answers) {
    Set<String> answered = new LinkedHashSet<>();
    List<NodeStatus.Member> members = new ArrayList<>();
    for (Answer answer : answers.values()) {
      if (answer.status() != null) {
        answered.add(answer.status().nodeId());
        members.addAll(answer.status().members());
      }
    }
    Set<String> endpoints = new LinkedHashSet<>();
    for (NodeStatus.Member member : members) {
      boolean reachable = !member.endpoint().isEmpty() && !answers.containsKey(member.endpoint());
      if (reachable && !answered.contains(member.nodeId())) {
        endpoints.add(member.endpoint());
      }
    }
    return endpoints;
  }

  private static void table(List<Answer> answers, Output out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(COLUMNS);
    answers.forEach(answer -> rows.add(row(answer)));
    Table.print(rows, out::line);
  }

  private static void problems(List<Answer> answers, Output out) {
    for (Answer answer : answers) {
      if (answer.status() != null) {
        String node = answer.status().nodeId();
        answer.status().problem().ifPresent(problem -> out.line(node + ": " + problem));
        String activity = answer.status().snapshots().activity();
        if (!activity.isEmpty()) {
          out.line(node + ": " + activity);
        }
      }
    }
  }

  /** So that a person who has several sees which one answered. */
  private static Set<String> clusters(List<Answer> answers) {
    Set<String> ids = new LinkedHashSet<>();
    for (Answer answer : answers) {
      if (answer.status() != null) {
        ids.add(answer.status().clusterId());
      }
    }
    return ids;
  }

  /** As the leader sees them: what it proposes is what all have. */
  private static void features(List<Answer> answers, Output out) {
    for (Answer answer : answers) {
      NodeStatus status = answer.status();
      if (status != null && status.role().equals("leader") && !status.features().isEmpty()) {
        out.line(features(status.features()));
      }
    }
  }

  private static String features(List<NodeStatus.Feature> features) {
    StringJoiner all = new StringJoiner(", ", "features: ", "").setEmptyValue("features: none");
    Map<String, List<String>> waiting = new LinkedHashMap<>();
    for (NodeStatus.Feature feature : features) {
      if (feature.missing().isEmpty()) {
        all.add(feature.name() + (feature.used() ? " (used)" : ""));
      } else {
        waiting.computeIfAbsent(feature.missing(), why -> new ArrayList<>()).add(feature.name());
      }
    }
    StringJoiner later =
        new StringJoiner(", ", "; not begun before every member says that it knows them: ", "")
            .setEmptyValue("");
    waiting.forEach((why, names) -> later.add(String.join(", ", names) + " (" + why + ")"));
    return all.toString() + later;
  }

  private static List<String> row(Answer answer) {
    NodeStatus status = answer.status();
    if (status == null) {
      return List.of(answer.endpoint(), "-", "unreachable: " + answer.failure());
    }
    NodeStatus.LogPosition log = status.log();
    return List.of(
        answer.endpoint(),
        status.nodeId(),
        status.role(),
        Long.toString(status.term()),
        status.leader().orElse("-"),
        Long.toString(log.last()),
        Long.toString(log.durable()),
        Long.toString(log.committed()),
        Long.toString(log.applied()),
        Long.toString(status.revision()),
        used(status.space()),
        disk(status.disk()),
        status.durability(),
        status.version());
  }

  /** In bytes, with the quota if there is one. */
  private static String used(SpaceUse space) {
    String used = Long.toString(space.usedBytes());
    return space.quotaBytes() == 0 ? used : used + "/" + space.quotaBytes();
  }

  /** What is left, and, as long as that is little, that it is. */
  private static String disk(NodeStatus.Disk disk) {
    if (disk.state().isEmpty()) {
      return "-";
    }
    String left = (disk.usableBytes() >> 20) + " MiB";
    String reserve = disk.reserve() ? "" : ", no reserve";
    return disk.state().equals("ok") ? left : disk.state() + ": " + left + reserve;
  }

  private static void json(Answer answer, Output out) {
    NodeStatus status = answer.status();
    out.json(
        json -> {
          json.writeStringField("endpoint", answer.endpoint());
          json.writeBooleanField("reachable", status != null);
          if (status == null) {
            json.writeStringField("failure", answer.failure());
            return;
          }
          json.writeStringField("clusterId", status.clusterId());
          json.writeStringField("nodeId", status.nodeId());
          json.writeStringField("version", status.version());
          json.writeStringField("role", status.role());
          json.writeNumberField("term", status.term());
          json.writeStringField("leader", status.leader().orElse(null));
          json.writeNumberField("lastIndex", status.log().last());
          json.writeNumberField("durableIndex", status.log().durable());
          json.writeNumberField("committedIndex", status.log().committed());
          json.writeNumberField("appliedIndex", status.log().applied());
          json.writeNumberField("snapshotIndex", status.snapshots().index());
          json.writeNumberField("snapshotBytes", status.snapshots().bytes());
          json.writeNumberField("logFirstIndex", status.snapshots().logFirst());
          json.writeNumberField("logBytes", status.snapshots().logBytes());
          writeTo(json, status.snapshots().transfer());
          json.writeStringField("activity", status.snapshots().activity());
          json.writeNumberField("revision", status.revision());
          json.writeNumberField("compactRevision", status.compactRevision());
          QuotaCommand.writeTo(json, status.space());
          json.writeStringField("diskState", status.disk().state());
          json.writeNumberField("diskUsableBytes", status.disk().usableBytes());
          json.writeNumberField("diskLowBytes", status.disk().lowBytes());
          json.writeBooleanField("diskReserve", status.disk().reserve());
          json.writeStringField("durability", status.durability());
          json.writeStringField("problem", status.problem().orElse(null));
          json.writeArrayFieldStart("features");
          for (NodeStatus.Feature feature : status.features()) {
            json.writeStartObject();
            json.writeStringField("name", feature.name());
            json.writeBooleanField("used", feature.used());
            json.writeStringField("missing", feature.missing());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayFieldStart("members");
          for (NodeStatus.Member member : status.members()) {
            json.writeStartObject();
            json.writeStringField("nodeId", member.nodeId());
            json.writeStringField("endpoint", member.endpoint());
            json.writeStringField("role", member.role().name().toLowerCase(Locale.ROOT));
            progress(status, member, json);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /** Only the leader knows how far the others are: a follower's zeros would be taken for news. */
  private static void progress(NodeStatus status, NodeStatus.Member member, JsonGenerator json)
      throws IOException {
    if (status.role().equals("leader")) {
      json.writeNumberField("matchIndex", member.matchIndex());
      json.writeBooleanField("active", member.active());
    } else {
      json.writeNullField("matchIndex");
      json.writeNullField("active");
    }
  }

  private static void writeTo(JsonGenerator json, NodeStatus.Transfer transfer) throws IOException {
    json.writeNumberField("snapshotReceivedBytes", transfer.receivedBytes());
    json.writeNumberField("snapshotReceivingBytes", transfer.receivingBytes());
    json.writeArrayFieldStart("snapshotSendingTo");
    for (String member : transfer.sendingTo()) {
      json.writeString(member);
    }
    json.writeEndArray();
  }
}
