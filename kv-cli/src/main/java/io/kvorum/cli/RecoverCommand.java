package io.kvorum.cli;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.node.Rebuild;
import io.kvorum.node.Recovery;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.server.NodeRecovery;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvorum recover}. */
@Command(
    name = "recover",
    description = {
      "A cluster has lost most of its nodes for good: make one survivor a cluster of its own. The"
          + " last resort, since ACKNOWLEDGED WRITES MAY BE LOST. Works on the data directory of a"
          + " node that does not run.",
      "Without --yes-lose-acknowledged-writes it only reports. Compare the reports of all survivors"
          + " and recover the one with the highest last entry, first by term, then by index; that"
          + " one only. Then start it with the new cluster id, and add new nodes with empty data"
          + " directories: kvorum members add."
    })
final class RecoverCommand implements Callable<Integer> {
  private static final String CONFIRMATION = "--yes-lose-acknowledged-writes";

  @Option(
      names = "--data-dir",
      required = true,
      paramLabel = "DIR",
      description = "The survivor's data directory.")
  private Path directory = Path.of("");

  @Option(
      names = "--node-id",
      required = true,
      paramLabel = "ID",
      description = "The survivor's name, to make sure that it is the one you mean.")
  private String nodeId = "";

  @Option(
      names = "--new-cluster-id",
      paramLabel = "ID",
      description =
          "What the cluster is called from now on. It must differ, so that lost nodes which come"
              + " back cannot join or form the old one beside it under the same name.")
  private @Nullable String newClusterId;

  @Option(names = CONFIRMATION, description = "Do it.")
  private boolean confirmed;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "How the report is written. Default: text.")
  private ClientOptions.OutputFormat output = ClientOptions.OutputFormat.text;

  private final Terminal terminal;

  RecoverCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    String target = newClusterId;
    if (confirmed && target == null) {
      throw CommandFailure.usage(CONFIRMATION + " needs --new-cluster-id");
    }
    NodeId node = name("--node-id", nodeId);
    if (target != null) {
      var unused = name("--new-cluster-id", target);
    }
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.local(directory + " is no directory");
    }
    NodeRecovery.Outcome outcome;
    try {
      outcome = NodeRecovery.run(directory, node, confirmed ? target : null);
    } catch (DirectoryInUseException | DataDirectoryException refused) {
      throw CommandFailure.local(refused.getMessage() + "; nothing was changed");
    } catch (IllegalArgumentException notNew) {
      throw CommandFailure.usage(notNew.getMessage() + "; nothing was changed");
    } catch (UncheckedIOException failed) {
      throw CommandFailure.resource(String.valueOf(failed.getMessage()));
    }
    try (Output out = new Output(terminal)) {
      if (output == ClientOptions.OutputFormat.json) {
        json(outcome, out);
      } else {
        lines(outcome).forEach(out::line);
      }
    }
    return ExitCode.DONE;
  }

  private static NodeId name(String option, String text) {
    try {
      return new NodeId(text);
    } catch (IllegalArgumentException malformed) {
      throw CommandFailure.usage(option + " \"" + text + "\": allowed are " + NodeId.ALLOWED);
    }
  }

  private List<String> lines(NodeRecovery.Outcome outcome) {
    Recovery.Report found = outcome.found();
    String report =
        """
        node        %s of cluster %s, in %s
        last entry  %s
        applied     %s
        newest term %d
        members     %s%s%s
        """
            .formatted(
                found.node(),
                found.clusterId(),
                directory,
                text(found.last()),
                applied(found),
                found.term(),
                found.membership(),
                outcome.changed() ? "" : state(found),
                found.half() ? "\na recovery to this cluster was begun and cut short" : "");
    return (report + doubt(outcome) + rebuilt(outcome) + conclusion(outcome)).lines().toList();
  }

  private static String applied(Recovery.Report found) {
    if (found.isAppliedKnown()) {
      return text(found.applied());
    }
    return found.leftToStart() ? "nothing yet" : "unknown";
  }

  private static String state(Recovery.Report found) {
    if (found.rebuild() == null) {
      return "";
    }
    if (found.leftToStart()) {
      return "\nstate       none yet: the next start builds it anew from " + found.rebuild();
    }
    return "\nstate       of no use: "
        + found.stateProblem()
        + found.unused().stream().map("\nnot used    "::concat).collect(Collectors.joining());
  }

  /** A state that cannot be read does not keep a node from being recovered, if it is not needed. */
  private String rebuilt(NodeRecovery.Outcome outcome) {
    Recovery.Report found = outcome.found();
    boolean isToBeDone = !confirmed && !found.leftToStart();
    if (found.rebuild() == null || !(outcome.changed() || isToBeDone)) {
      return "";
    }
    return """

    The state %s built anew from %s.
    What is there of the damaged one %s in %s/damaged-state.
    """
        .formatted(
            outcome.changed() ? "is" : "would be",
            found.rebuild(),
            outcome.changed() ? "is" : "would be kept",
            directory);
  }

  /** Whoever was removed, or has lost a part of its log, lacks more than what was not yet sent. */
  private static String doubt(NodeRecovery.Outcome outcome) {
    Recovery.Report found = outcome.found();
    boolean isRemoved = !found.membership().isEmpty() && !found.membership().isMember(found.node());
    String doubt = "";
    if (isRemoved && !outcome.changed()) {
      doubt +=
          """

          WARNING: the group has removed %s, as far as this directory knows. Since then it was told
          nothing: what was written later is missing here. Recover one of the members instead.
          """
              .formatted(found.node());
    }
    if (found.lacking() && !outcome.changed()) {
      doubt +=
          """

          WARNING: %s has lost a part of its log to damage, and did not get it back. What was
          written there may be missing, even if it was acknowledged. Recover another survivor, if
          there is one.
          """
              .formatted(found.node());
    }
    return doubt;
  }

  private static String text(EntryId id) {
    return "term " + id.term() + ", index " + id.index();
  }

  private String conclusion(NodeRecovery.Outcome outcome) {
    Recovery.Report found = outcome.found();
    if (outcome.changed()) {
      return """

      RECOVERED. %1$s is the only member of cluster %2$s. Start it with --cluster-id %2$s and
      itself as the only one of --members, then add new nodes with empty data directories.
      Never start another survivor of the old cluster again.
      """
          .formatted(found.node(), newClusterId);
    }
    if (confirmed) {
      return "\nThis was recovered before; nothing was changed.\n";
    }
    if (found.alone() && (found.rebuild() == null || found.leftToStart())) {
      return """

      Nothing was changed. %s is the only member of cluster %s already: there is nothing to
      recover, start it.
      """
          .formatted(found.node(), found.clusterId());
    }
    return """

    Nothing was changed. To recover this node means:
    - Acknowledged writes that only the lost nodes held are gone for good.
    - Up to %d entries%s become committed, even if no majority held them.
    - Whoever is not recovered here must never take part again: remove the other directories.
    Compare this with the reports of all other survivors, and recover the one with the highest
    last entry, first by term, then by index. If a majority can still be started: do that
    instead. To go on: --new-cluster-id ID %s
    """
        .formatted(
            found.last().index() - found.applied().index(),
            found.isAppliedKnown() ? " behind the applied one" : "",
            CONFIRMATION);
  }

  private void json(NodeRecovery.Outcome outcome, Output out) {
    Recovery.Report found = outcome.found();
    out.json(
        json -> {
          json.writeStringField("nodeId", found.node().name());
          json.writeStringField("clusterId", found.clusterId());
          json.writeNumberField("lastTerm", found.last().term());
          json.writeNumberField("lastIndex", found.last().index());
          if (found.isAppliedKnown()) {
            json.writeNumberField("appliedTerm", found.applied().term());
            json.writeNumberField("appliedIndex", found.applied().index());
          } else {
            json.writeNullField("appliedTerm");
            json.writeNullField("appliedIndex");
          }
          json.writeNumberField("term", found.term());
          json.writeArrayFieldStart("members");
          for (NodeId member : found.membership().members()) {
            json.writeString(member.name());
          }
          json.writeEndArray();
          json.writeBooleanField("onlyMember", found.alone());
          json.writeBooleanField("halfRecovered", found.half());
          json.writeBooleanField("lacking", found.lacking());
          json.writeStringField("stateProblem", found.stateProblem());
          Rebuild rebuild = found.rebuild();
          json.writeStringField("stateRebuiltFrom", rebuild == null ? null : rebuild.toString());
          json.writeArrayFieldStart("snapshotsNotUsed");
          for (String snapshot : found.unused()) {
            json.writeString(snapshot);
          }
          json.writeEndArray();
          json.writeBooleanField("changed", outcome.changed());
        });
  }
}
