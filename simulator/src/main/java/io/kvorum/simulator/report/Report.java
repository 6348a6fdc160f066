package io.kvorum.simulator.report;

import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import java.util.List;

/** A run as a page: what went wrong, and the messages that led there. */
public final class Report {
  private final SimResult result;

  /** Of a run that kept its trace, and the checkers that watched it. */
  public Report(SimResult result, List<Checker> checkers) {
    this.result = result;
  }

  /** The page, which needs no other file. */
  public String html() {
    return result.toString();
  }
}
