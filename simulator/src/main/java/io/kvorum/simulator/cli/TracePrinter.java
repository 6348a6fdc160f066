package io.kvorum.simulator.cli;

import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.TraceText;
import java.io.PrintStream;

/** Prints each event when it happens; promises nothing. */
final class TracePrinter implements Checker {
  private final PrintStream out;

  TracePrinter(PrintStream out) {
    this.out = out;
  }

  @Override
  public String name() {
    return "TracePrinter";
  }

  @Override
  public void on(SimEvent event) {
    out.println(TraceText.line(event));
  }
}
