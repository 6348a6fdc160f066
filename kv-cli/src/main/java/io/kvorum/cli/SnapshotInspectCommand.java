package io.kvorum.cli;

import io.kvorum.server.inspect.SnapshotLook;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvorum snapshot inspect}. */
@Command(
    name = "inspect",
    description = {
      "Say of which state a snapshot is, who the members were, and which files it has; and compare"
          + " every byte with its manifest. DIR is one snapshot, or a data directory with several.",
      "Exit code 1: one is damaged."
    })
final class SnapshotInspectCommand implements Callable<Integer> {
  @Mixin private final OfflineDirectory directory = new OfflineDirectory();

  private final Terminal terminal;

  SnapshotInspectCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<SnapshotLook> found = directory.look(quiet -> SnapshotLook.at(quiet.disk()));
    if (found.isEmpty()) {
      throw CommandFailure.local(directory.path() + " holds no snapshot");
    }
    boolean isDamaged = false;
    try (Output out = new Output(terminal)) {
      for (SnapshotLook each : found) {
        print(each, out);
        isDamaged |= each.problem() != null;
      }
    }
    return isDamaged ? ExitCode.DAMAGED : ExitCode.DONE;
  }

  private static void print(SnapshotLook look, Output out) {
    out.line("snapshot    " + look.location());
    SnapshotLook.About about = look.about();
    if (about != null) {
      out.line("cluster     " + about.clusterId());
      out.line("last entry  " + about.last());
      out.line("state       " + about.state());
      out.line("members     " + about.membership());
      out.line("bytes       " + about.bytes() + " in " + about.files().size() + " files");
      about.files().forEach(file -> out.line("file        " + file));
    }
    out.line(look.problem() == null ? "snapshot: OK" : "snapshot: DAMAGED, " + look.problem());
  }
}
