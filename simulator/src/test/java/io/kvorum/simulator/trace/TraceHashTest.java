package io.kvorum.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of {@link TraceHash}. */
class TraceHashTest {
  private static long hash(SimEvent... events) {
    TraceHash hash = new TraceHash();
    for (SimEvent event : events) {
      hash.add(event);
    }
    return hash.value();
  }

  /** One event of each kind, with each kind of message, operation and outcome. */
  private static List<SimEvent> oneOfEach(Drawn drawn) {
    List<SimEvent> events = new ArrayList<>();
    for (Class<?> kind : Drawn.kinds(SimEvent.class)) {
      events.add((SimEvent) drawn.record(kind));
    }
    for (Class<?> kind : Drawn.kinds(Message.class)) {
      Message message = (Message) drawn.record(kind);
      Envelope envelope = new Envelope(new NodeId("a"), new NodeId("b"), 3, message);
      events.add(new SimEvent.Sent(1, 2, envelope));
      events.add(new SimEvent.Lost(1, 2, envelope, "why"));
    }
    for (Class<?> kind : Drawn.kinds(ClientOperation.class)) {
      events.add(new SimEvent.Called(1, 2, 3, (ClientOperation) drawn.record(kind)));
    }
    for (Class<?> kind : Drawn.kinds(ClientOutcome.class)) {
      events.add(new SimEvent.Returned(1, 2, 3, (ClientOutcome) drawn.record(kind)));
    }
    return events;
  }

  @Test
  void everyPlaceOfEveryEventCounts() {
    Seeds.of(TraceHashTest.class)
        .fresh(5)
        .forEach(
            seed -> {
              Drawn drawn = new Drawn(seed);
              for (SimEvent event : oneOfEach(drawn)) {
                List<Object> others = drawn.othersThan(event);
                assertThat(others).as("%s", event).isNotEmpty();
                for (Object other : others) {
                  assertThat(hash((SimEvent) other))
                      .as("%s and %s", event, other)
                      .isNotEqualTo(hash(event));
                }
              }
            });
  }

  @Test
  void equalEventsHaveEqualHashes() {
    List<SimEvent> some = oneOfEach(new Drawn(7));
    List<SimEvent> again = oneOfEach(new Drawn(7));

    assertThat(hash(some.toArray(SimEvent[]::new))).isEqualTo(hash(again.toArray(SimEvent[]::new)));
  }

  @Test
  void theOrderCounts() {
    SimEvent one = new SimEvent.Started(1, new NodeId("n1"), 0);
    SimEvent other = new SimEvent.Started(1, new NodeId("n2"), 0);

    assertThat(hash(one, other)).isNotEqualTo(hash(other, one));
    assertThat(hash(one)).isNotEqualTo(hash(one, one));
    assertThat(hash()).isNotEqualTo(hash(one));
  }

  @Test
  void itStaysWhatItIs() {
    // So a hash that is written down somewhere can be compared with one of another day.
    assertThat(hash(new SimEvent.Started(5, new NodeId("n1"), 0))).isEqualTo(-6175348261076275944L);
  }

  @Test
  void everyEventHasALine() {
    for (SimEvent event : oneOfEach(new Drawn(3))) {
      assertThat(TraceText.line(event)).isNotBlank().doesNotContain("\n", "@1a2b");
    }
  }
}
