package io.kvorum.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.kvorum.api.AdminOptions;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.SpaceUse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum quota}. */
@Command(
    name = "quota",
    description = {
      "Say how much room the store takes and may take, and set that if a limit is given.",
      "A store that is full refuses what grows. Reads, deletes, compaction, and the renewals and"
          + " ends of leases go on: delete keys, then compact; or raise the quota."
    })
final class QuotaCommand extends ClientCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "BYTES|none",
      description = "The most that it may take from now on; K, M, G or T behind it: times 1024.")
  private @Nullable String limit;

  QuotaCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    if (limit != null) {
      long unused = ByteCount.quota(limit);
    }
  }

  @Override
  int run(Connection connection, Output out) {
    AdminOptions timed = new AdminOptions(options().timeout());
    ClusterAdmin admin = connection.admin();
    CompletableFuture<SpaceUse> asked =
        limit == null ? admin.space(timed) : admin.setQuota(ByteCount.quota(limit), timed);
    SpaceUse space = MembersTable.await(asked);
    if (options().json()) {
      out.json(json -> writeTo(json, space));
    } else {
      out.line("used         " + space.usedBytes() + " bytes");
      out.line(
          "quota        " + (space.quotaBytes() == 0 ? "none" : space.quotaBytes() + " bytes"));
      out.line("reclaimable  " + space.reclaimableBytes() + " bytes, by a compaction now");
      out.line("full         " + (space.full() ? "yes" : "no"));
    }
    return ExitCode.DONE;
  }

  /** What stands between the braces; a quota of 0: none. */
  static void writeTo(JsonGenerator json, SpaceUse space) throws IOException {
    json.writeNumberField("usedBytes", space.usedBytes());
    json.writeNumberField("quotaBytes", space.quotaBytes());
    json.writeNumberField("reclaimableBytes", space.reclaimableBytes());
    json.writeBooleanField("full", space.full());
  }
}
