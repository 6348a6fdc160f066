package io.kvorum.simulator.report;

import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Linearizability;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.shrink.PlanText;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.testkit.linearizability.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * A run as a page that needs no other file: what went wrong, the faults, and the messages that led
 * there as a diagram.
 */
public final class Report {
  /** More than that nobody reads, and no browser draws quickly. */
  private static final int EVENTS_SHOWN_MAX = 4_000;

  private final SimResult result;
  private final List<Checker> checkers;

  /** Of a run that kept its trace, and the checkers that watched it. */
  public Report(SimResult result, List<Checker> checkers) {
    this.result = result;
    this.checkers = List.copyOf(checkers);
  }

  /** The page. */
  public String html() {
    StringBuilder page = new StringBuilder();
    page.append("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n");
    page.append("<title>Seed ").append(result.plan().seed()).append("</title>\n<style>\n");
    page.append(style()).append("</style>\n</head>\n<body>\n");
    head(page);
    diagram(page);
    end(page);
    return page.append("</body>\n</html>\n").toString();
  }

  private static String style() {
    try (InputStream css = Report.class.getResourceAsStream("report.css")) {
      if (css == null) {
        throw new IllegalStateException("the resource report.css is missing");
      }
      return new String(css.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read report.css", unreadable);
    }
  }

  private void head(StringBuilder page) {
    Violation violation = result.violation();
    page.append("<header>\n<h1>Simulated run of seed ").append(result.plan().seed());
    page.append("</h1>\n");
    page.append(
        violation == null
            ? "<p class='kept'>No promise was broken.</p>\n"
            : "<p class='broke'>"
                + Html.escape(violation.checker())
                + ": "
                + first(violation)
                + "</p>\n");
    page.append("<details open><summary>").append(result.plan().faults().size());
    page.append(" faults planned</summary>\n<ol>\n");
    for (TimedFault timed : result.plan().faults()) {
      String millis = String.format(Locale.ROOT, "%.3f ms", timed.atNanos() / 1e6);
      page.append("<li><time>").append(millis).append("</time> ");
      page.append(Html.escape(timed.fault().toString())).append("</li>\n");
    }
    page.append(
        "</ol></details>\n<details><summary>The plan, for <code>./kvorum sim --plan</code>");
    page.append("</summary>\n<pre>").append(Html.escape(PlanText.write(result.plan())));
    page.append("</pre></details>\n");
    legend(page);
    page.append("</header>\n");
  }

  private static String first(Violation violation) {
    return Html.escape(String.valueOf(violation.getMessage()).lines().findFirst().orElse(""));
  }

  private static void legend(StringBuilder page) {
    page.append("<p class='legend'>Time runs downwards, in milliseconds, not to scale. A lane is");
    page.append(" <b class='leader'>dark</b> while its node leads,");
    page.append(" <b class='candidate'>striped</b> while it campaigns,");
    page.append(" <b class='follower'>pale</b> while it follows, in the colour of the term, and");
    page.append(" ends where the process does. Thin arrows are heartbeats and answers; a cross is");
    page.append(" a lost message; small squares are entries that became durable. Point at");
    page.append(" anything for its whole text.</p>\n");
  }

  private void diagram(StringBuilder page) {
    List<SimEvent> trace = result.trace();
    int skipped = Math.max(0, trace.size() - EVENTS_SHOWN_MAX);
    if (skipped > 0) {
      page.append("<p class='note'>").append(skipped).append(" earlier events are not shown; ");
      page.append("<code>--trace</code> prints all.</p>\n");
    }
    Lanes lanes = new Lanes(trace);
    page.append(Diagram.heads(lanes));
    page.append("<svg width='0' height='0' class='defs'><defs><marker id='tip' viewBox='0 0 8 8'");
    page.append(" refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>");
    page.append("<path d='M0 0L8 4L0 8z'/></marker></defs></svg>\n");
    Diagram diagram =
        new Diagram(lanes, trace.subList(0, skipped), trace.subList(skipped, trace.size()));
    page.append(diagram.svg(result.violation() != null));
  }

  private void end(StringBuilder page) {
    Violation violation = result.violation();
    if (violation == null) {
      return;
    }
    page.append("<footer>\n<h2>").append(Html.escape(violation.checker())).append("</h2>\n<pre>");
    page.append(Html.escape(String.valueOf(violation.getMessage()))).append("</pre>\n");
    for (Checker checker : checkers) {
      if (checker instanceof Linearizability history) {
        Verdict verdict = history.verdict();
        if (verdict != null && !verdict.isLinearizable()) {
          // A page of its own, so that neither one's style reaches the other.
          page.append("<iframe title='Where no order was found' srcdoc='");
          page.append(Html.escape(verdict.html())).append("'></iframe>\n");
        }
      }
    }
    page.append("</footer>\n");
  }
}
