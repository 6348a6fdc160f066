package io.kvorum.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Fault;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Of {@link TraceText}. */
class TraceTextTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final Bytes KEY = Bytes.utf8("k1");

  private static String lines(SimEvent... events) {
    return Stream.of(events).map(TraceText::line).collect(Collectors.joining("\n", "", "\n"));
  }

  @Test
  void messagesReadAsInTheTranscripts() {
    Entry first = new Entry(5, 3, EntryType.COMMAND, new byte[] {1});
    Entry second = new Entry(6, 3, EntryType.COMMAND, new byte[] {2});
    Message append = new Message.AppendEntries(new EntryId(4, 2), List.of(first, second), 4, 9);
    Message answer = new Message.AppendEntriesResponse(6, 0, null, 9);
    Message refusal = new Message.AppendEntriesResponse(0, 4, new EntryId(2, 1), 9);
    Message vote = new Message.RequestVote(new EntryId(6, 3), true, false);

    assertThat(
            lines(
                new SimEvent.Sent(1_234_567_890L, 17, new Envelope(N1, N2, 3, append)),
                new SimEvent.Delivered(1_235_000_000L, 17, new Envelope(N1, N2, 3, append)),
                new SimEvent.Sent(1_235_000_001L, 18, new Envelope(N2, N1, 3, answer)),
                new SimEvent.Lost(
                    1_235_000_002L, 19, new Envelope(N2, N1, 3, refusal), "n2 is down"),
                new SimEvent.Sent(1_235_000_003L, 20, new Envelope(N2, N1, 4, vote))))
        .isEqualTo(
            """
             1234.567890  n1   sends     n1@3 → n2 AppendEntries prev=4@2 [5@3 … 6@3] commit=4 \
            round=9 #17
             1235.000000  n2   receives  n1@3 → n2 AppendEntries prev=4@2 [5@3 … 6@3] commit=4 \
            round=9 #17
             1235.000001  n2   sends     n2@3 → n1 AppendEntriesResponse match=6 round=9 #18
             1235.000002  n1   lost      n2@3 → n1 AppendEntriesResponse rejected=4 hint=2@1 \
            round=9 #19: n2 is down
             1235.000003  n2   sends     n2@4 → n1 RequestPreVote last=6@3 #20
            """);
  }

  @Test
  void nodesSayWhatTheyAreAndHold() {
    EntryDigest command = new EntryDigest(5, 3, EntryType.COMMAND, 0xabcd);
    EntryDigest noOp = new EntryDigest(4, 3, EntryType.NO_OP, 0);

    assertThat(
            lines(
                new SimEvent.Started(0, N1, 1),
                new SimEvent.Stopped(1_000, N1, "killed"),
                new SimEvent.RoleTaken(2_000, N1, 3, RoleName.LEADER),
                new SimEvent.Stored(3_000, N1, List.of(noOp, command)),
                new SimEvent.LogMoved(4_000, N1, new EntryId(5, 3), 5, 4),
                new SimEvent.Applied(5_000, N1, command, 255, 7),
                new SimEvent.StateHashed(6_000, N1, 5, 16)))
        .isEqualTo(
            """
                0.000000  n1   starts    life=1
                0.001000  n1   stops     killed
                0.002000  n1   role      LEADER term=3
                0.003000  n1   stores    4@3 no-op, 5@3 abcd
                0.004000  n1   log       last=5@3 durable=5 commit=4
                0.005000  n1   applies   5@3 abcd revision=7 result=00000000000000ff
                0.006000  n1   state     index=5 hash=0000000000000010
            """);
  }

  @Test
  void clientsAndFaultsHaveLinesToo() {
    KeyValue found = new KeyValue(KEY, Bytes.utf8("v"), 2, 3, 2, 0);

    assertThat(
            lines(
                new SimEvent.Called(0, 1, 7, new ClientOperation.Put(KEY, Bytes.utf8("v"))),
                new SimEvent.Called(0, 1, 8, new ClientOperation.Range(KeyRange.from(KEY))),
                new SimEvent.Called(0, 1, 9, new ClientOperation.DeleteRange(KeyRange.single(KEY))),
                new SimEvent.Returned(0, 1, 7, new ClientOutcome.Unknown("timeout")),
                new SimEvent.Returned(0, 1, 8, new ClientOutcome.Done(3, 0, List.of(found))),
                new SimEvent.Returned(0, 1, 9, new ClientOutcome.Done(4, 1, List.of())),
                new SimEvent.FaultStruck(0, new Fault.Kill(N2))))
        .startsWith(
            """
                0.000000  c1   calls     put k1 = v #7
                0.000000  c1   calls     range [k1, ∞) #8
                0.000000  c1   calls     delete [k1, 0x6b3100) #9
                0.000000  c1   returns   Unknown[why=timeout] #7
                0.000000  c1   returns   done revision=3 {k1=v@3} #8
                0.000000  c1   returns   done revision=4 deleted=1 #9
                0.000000  *    fault     \
            """);
  }
}
