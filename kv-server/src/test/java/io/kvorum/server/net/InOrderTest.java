package io.kvorum.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.Numbered;
import io.kvorum.protocol.ServerFrame;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** FAULTS F110: who was refused before the log is overtaken by nobody, and holds up nobody. */
class InOrderTest {
  private final InOrder order = new InOrder();
  private final List<Long> taken = new ArrayList<>();

  private static ClientFrame frame(long session, long sequence, long below) {
    return ClientFrame.newBuilder()
        .setNumbered(
            Numbered.newBuilder()
                .setSession(session)
                .setSequence(sequence)
                .setAcknowledgedBelow(below))
        .build();
  }

  /** Sends it; a service that takes everything, or refuses everything, answers at once. */
  private boolean send(ClientFrame frame, boolean refuses) {
    if (order.refuse(frame) != null) {
      return false;
    }
    ServerFrame.Builder answer = ServerFrame.newBuilder();
    if (refuses) {
      answer.getErrorBuilder().setKind(Error.Kind.UNAVAILABLE).setMessage("full");
    } else {
      taken.add(frame.getNumbered().getSequence());
    }
    order.watch(frame, answered -> {}).accept(answer.build());
    return !refuses;
  }

  /** A hundred at once, of which number 17 is refused: then it comes again, and all behind it. */
  @Test
  void oneThatIsRefusedComesBeforeThoseBehindIt() {
    List<Long> again = new ArrayList<>();
    for (long i = 1; i <= 100; i++) {
      if (!send(frame(7, i, 1), i == 17)) {
        again.add(i);
      }
    }
    assertThat(again).hasSize(84).startsWith(17L);
    again.forEach(i -> assertThat(send(frame(7, i, 1), false)).isTrue());
    assertThat(taken).hasSize(100).isSorted();
  }

  /** A delete behind a put that there is no space for is not told that there is none for it. */
  @Test
  void thoseBehindOneThatNeedsSpaceComeAgain() {
    ServerFrame.Builder full = ServerFrame.newBuilder();
    full.getErrorBuilder().setKind(Error.Kind.UNAVAILABLE).setReason(Error.Reason.NO_SPACE);
    order.watch(frame(7, 17, 1), answered -> {}).accept(full.build());
    Error behind = order.refuse(frame(7, 18, 17));
    assertThat(behind).isNotNull();
    assertThat(behind.getReason()).isEqualTo(Error.Reason.OVERLOADED);
    assertThat(behind.getRetryAfterMillis()).isPositive();
    assertThat(order.refuse(frame(7, 18, 18))).isNull();
  }

  @Test
  void oneThatIsGivenUpHoldsUpNobody() {
    assertThat(send(frame(7, 17, 1), true)).isFalse();
    assertThat(send(frame(7, 18, 17), false)).isFalse();
    assertThat(send(frame(7, 18, 18), false)).isTrue();
    assertThat(send(frame(7, 19, 18), false)).isTrue();
  }

  @Test
  void othersAreNotConcerned() {
    assertThat(send(frame(7, 17, 1), true)).isFalse();
    assertThat(send(frame(8, 18, 1), false)).isTrue();
    assertThat(order.refuse(ClientFrame.getDefaultInstance())).isNull();
    assertThat(send(frame(7, 3, 1), false)).as("before it").isTrue();
  }

  @Test
  void theFirstOfSeveralCounts() {
    assertThat(send(frame(7, 17, 1), true)).isFalse();
    assertThat(send(frame(7, 17, 1), true)).isFalse();
    assertThat(send(frame(7, 18, 1), false)).isFalse();
    assertThat(send(frame(7, 17, 1), false)).isTrue();
    assertThat(send(frame(7, 18, 1), false)).isTrue();
  }
}
