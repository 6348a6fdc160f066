package io.kvorum.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command that opens a connection, works with it, and closes it. */
abstract class ClientCommand implements Callable<Integer> {
  @Mixin private final ClientOptions options = new ClientOptions();

  private final Terminal terminal;
  private final ClientFactory clients;

  ClientCommand(Terminal terminal, ClientFactory clients) {
    this.terminal = terminal;
    this.clients = clients;
  }

  /** Checks the arguments before anything is opened. */
  abstract void check();

  /** Does the work; returns the exit code. */
  abstract int run(Connection connection, Output out) throws IOException, InterruptedException;

  @Override
  public final Integer call() throws IOException, InterruptedException {
    check();
    try (Connection connection = options.connect(terminal, clients);
        Output out = new Output(terminal)) {
      return run(connection, out);
    }
  }

  ClientOptions options() {
    return options;
  }

  Terminal terminal() {
    return terminal;
  }
}
