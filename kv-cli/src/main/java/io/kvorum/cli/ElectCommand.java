package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.cli.transfer.JsonFields;
import io.kvorum.client.recipes.Blocking;
import io.kvorum.client.recipes.LeaderElection;
import io.kvorum.client.recipes.LeaderElection.Leader;
import io.kvorum.client.recipes.LeaderView;
import io.kvorum.client.recipes.Leadership;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.RecipePorts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvorum elect}. */
@Command(
    name = "elect",
    description = {
      "Stand for election, lead while COMMAND runs, and resign. The exit code is that of COMMAND.",
      "COMMAND finds in KVORUM_FENCE the term, a number that grows from leader to leader; kvorum"
          + " lock --help says what it is for, and what happens when the lead is lost.",
      "Without COMMAND: print the term, and lead until Ctrl-C.",
      "With --observe: print who leads, term and value, now and whenever that changes."
    })
final class ElectCommand extends ClientCommand {
  @Mixin private final HoldOptions hold = new HoldOptions();
  @Mixin private final BytesOptions bytes = new BytesOptions();

  @Parameters(index = "0", paramLabel = "NAME", description = "The election.")
  private String name = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "VALUE",
      description = "What others are told of this leader, such as its address.")
  private @Nullable String value;

  @Parameters(
      index = "2..*",
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "What to run, behind a --.")
  private List<String> words = List.of();

  @Option(names = "--observe", description = "Only look who leads.")
  private boolean observe;

  @Option(
      names = "--max-events",
      paramLabel = "N",
      description = "With --observe: end after so many leaders. Default: never.")
  private long eventsMax = Long.MAX_VALUE;

  ElectCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    if (name.isEmpty()) {
      throw CommandFailure.usage("the name of the election is empty");
    }
    if (observe == (value != null)) {
      throw CommandFailure.usage("either VALUE, to stand, or --observe");
    }
    CommandFailure.checkAtLeast("--max-events", 1, eventsMax);
  }

  @Override
  int run(Connection connection, Output out) throws InterruptedException {
    RecipePorts ports = RecipePorts.of(connection.client());
    LeaderElection election = LeaderElection.of(ports, name);
    String proclaimed = value;
    return proclaimed == null
        ? observe(election, out)
        : stand(ports, election, bytes.parse("VALUE", proclaimed), out);
  }

  private int stand(RecipePorts ports, LeaderElection election, Bytes proclaimed, Output out)
      throws InterruptedException {
    Owner owner = Blocking.await(Owner.open(ports, hold.ttl()));
    try (Hold holding = new Hold(terminal(), hold.killAfter(), owner::end)) {
      Leadership leadership = Blocking.await(election.campaign(owner, proclaimed));
      CompletableFuture<String> lost = new CompletableFuture<>();
      leadership.onLost(why -> lost.complete("the lead of " + name + " is lost: " + why));
      if (words.isEmpty()) {
        print(Optional.of(new Leader(leadership.term(), proclaimed, owner.id())), out);
      }
      String term = Long.toString(leadership.term());
      return holding.run(words, Map.of(HoldOptions.FENCE_VARIABLE, term), lost);
    }
  }

  private int observe(LeaderElection election, Output out) throws InterruptedException {
    Told<Optional<Leader>> told = new Told<>(eventsMax, leader -> print(leader, out));
    LeaderView view = election.observe(told::tell);
    try {
      return told.await();
    } finally {
      view.close();
    }
  }

  private void print(Optional<Leader> leader, Output out) {
    if (options().json()) {
      out.json(
          json -> {
            json.writeNumberField("term", leader.map(Leader::term).orElse(0L));
            if (leader.isPresent()) {
              JsonFields.write(json, "value", leader.get().value());
              json.writeStringField("lease", LeaseId.text(leader.get().lease()));
            }
          });
    } else {
      out.line(leader.map(one -> one.term() + " " + bytes.line(one.value())).orElse("0"));
    }
    out.flush();
  }
}
