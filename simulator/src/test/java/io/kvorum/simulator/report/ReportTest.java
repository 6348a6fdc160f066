package io.kvorum.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Linearizability;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Of {@link Report} and its diagram. */
class ReportTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final Bytes HOSTILE = Bytes.utf8("<script>'\"&");

  private static Envelope vote(NodeId from, NodeId to) {
    return new Envelope(from, to, 2, new Message.RequestVote(EntryId.ZERO, false, false));
  }

  private static List<SimEvent> trace() {
    List<SimEvent> trace = new ArrayList<>();
    trace.add(new SimEvent.Started(0, N1, 0));
    trace.add(new SimEvent.Started(0, N2, 0));
    trace.add(new SimEvent.RoleTaken(1_000_000, N1, 2, RoleName.CANDIDATE));
    trace.add(new SimEvent.Sent(1_000_000, 1, vote(N1, N2)));
    trace.add(new SimEvent.Sent(1_000_000, 2, vote(N1, N2)));
    trace.add(new SimEvent.Delivered(2_000_000, 1, vote(N1, N2)));
    trace.add(new SimEvent.Lost(3_000_000, 2, vote(N1, N2), "cut"));
    trace.add(new SimEvent.RoleTaken(4_000_000, N1, 2, RoleName.LEADER));
    trace.add(new SimEvent.LogMoved(5_000_000, N1, new EntryId(3, 2), 3, 3));
    trace.add(new SimEvent.Called(6_000_000, 1, 1, new ClientOperation.Put(HOSTILE, HOSTILE)));
    trace.add(new SimEvent.FaultStruck(7_000_000, new Fault.LosePower(N2)));
    trace.add(new SimEvent.Stopped(7_000_000, N2, "power lost"));
    trace.add(new SimEvent.Returned(8_000_000, 1, 1, new ClientOutcome.Unknown("<b>timeout</b>")));
    trace.add(new SimEvent.Sent(900_000_000, 3, vote(N1, N2)));
    return trace;
  }

  private static String html(List<SimEvent> trace, List<Checker> checkers) {
    SimPlan plan =
        new SimPlan(
            7,
            new SimOptions(2, 1, 1, 1, 1),
            List.of(new TimedFault(7_000_000, new Fault.LosePower(N2))));
    Violation violation = new Violation("Promise", "this <is> broken\nin two lines");
    return new Report(new SimResult(plan, violation, 1, 1, 1, trace), checkers).html();
  }

  /** What a browser would forgive, an XML parser does not. */
  private static Document drawing(String html) throws Exception {
    int from = html.indexOf("<svg xmlns");
    String svg = html.substring(from, html.indexOf("</svg>", from) + "</svg>".length());
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  @Test
  void showsMessagesRolesFaultsCallsAndTheViolation() throws Exception {
    String html = html(trace(), List.of());

    assertThat(drawing(html).getElementsByTagName("line").getLength()).isEqualTo(4);
    assertThat(html)
        .contains("marker-end", "class='cross'", "lost: cut")
        .contains("candidate 2", "leader 2", "commit 3", "power lost")
        .contains("⚡ " + new Fault.LosePower(N2))
        .contains("892 ms pass")
        .contains("under way at the end")
        .contains("class='broken'", "<h2>Promise</h2>", "in two lines</pre>");
  }

  @Test
  void escapesWhateverItShows() {
    String html = html(trace(), List.of());

    assertThat(html).doesNotContain("<script>'\"&");
    assertThat(html).contains("&#60;script&#62;", "&#60;is&#62;");
  }

  @Test
  void needsNoOtherFile() {
    // A namespace is a name, nothing that is fetched.
    assertThat(html(trace(), List.of()).replace("'http://www.w3.org/2000/svg'", ""))
        .doesNotContain("http:")
        .doesNotContainPattern("\\b(src|href)=")
        .doesNotContain("@import", "url(\"")
        .contains("prefers-color-scheme: dark");
  }

  @Test
  void aLongRunIsShownFromItsEndWithANote() throws Exception {
    List<SimEvent> trace = new ArrayList<>(trace());
    for (int i = 0; i < 5_000; i++) {
      trace.add(new SimEvent.Sent(900_000_000L + i, 10 + i, vote(N1, N2)));
      trace.add(new SimEvent.Delivered(900_000_000L + i, 10 + i, vote(N1, N2)));
    }

    String html = html(trace, List.of());

    assertThat(html).contains("6014 earlier events are not shown");
    assertThat(drawing(html).getElementsByTagName("rect").getLength()).isPositive();
    // Who led when the shown part begins is known from before.
    assertThat(html).contains("lane leader");
  }

  @Test
  void drawsWhereNoOrderWasFound() {
    Linearizability checker = new Linearizability();
    ClientOperation get = new ClientOperation.Get(Bytes.utf8("k"));
    checker.on(new SimEvent.Called(0, 1, 1, get));
    checker.on(new SimEvent.Returned(0, 1, 1, new ClientOutcome.Done(9, 0, List.of())));
    try {
      checker.atEnd();
      throw new AssertionError("revision 9 out of nothing");
    } catch (Violation found) {
      assertThat(found).hasMessageContaining("not linearizable");
    }

    assertThat(html(trace(), List.of(checker))).contains("<iframe", "srcdoc='&#60;!DOCTYPE");
    assertThat(html(trace(), List.of(new Linearizability()))).doesNotContain("<iframe");
  }
}
