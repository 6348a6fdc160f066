package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.bench.load.Measurement;
import java.io.EOFException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many messages are under way, and which answers are believed. */
@Timeout(60)
class PipelineTest {
  private final ManualClock clock = new ManualClock(10);
  private final Measurement measurement = new Measurement(clock);

  @Test
  void whatHasEndedIsSentAnewAndNoMore() throws Exception {
    measurement.begin();
    try (Pair pair = Pair.open()) {
      Pipeline pipeline = new Pipeline(pair.near(), 3, ChainLeader::answers, clock);
      answer(pair, 2);
      assertThat(pipeline.run(measurement)).isEqualTo(1);
      answer(pair, 1);
      pipeline.run(measurement);
      answer(pair, 2);
      pipeline.drain(measurement);
      pair.near().shutdownOutput();

      // 3 at first, then 2 in the place of those that had ended; to drain sends none.
      ByteBuffer sent = ByteBuffer.allocate(5 * Pipeline.MESSAGE_BYTES);
      assertThat(Wire.readFully(pair.far(), sent)).isTrue();
      assertThat(Wire.readFully(pair.far(), ByteBuffer.allocate(1))).isFalse();
      measurement.end();
      assertThat(measurement.operations()).isEqualTo(5);
    }
  }

  @Test
  void anAnswerToMoreThanIsUnderWayIsNotBelieved() throws Exception {
    try (Pair pair = Pair.open()) {
      Pipeline pipeline = new Pipeline(pair.near(), 2, ChainLeader::answers, clock);
      answer(pair, 3);

      assertThatThrownBy(() -> pipeline.run(measurement))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("an answer to 3 messages, where 2 are under way");
    }
  }

  @Test
  void anOtherSideThatEndsIsNotWaitedFor() throws Exception {
    try (Pair pair = Pair.open()) {
      Pipeline pipeline = new Pipeline(pair.near(), 2, ChainLeader::answers, clock);
      pair.far().shutdownOutput();

      assertThatThrownBy(() -> pipeline.run(measurement))
          .isInstanceOf(EOFException.class)
          .hasMessage("the other side has ended with 2 messages under way");
    }
  }

  @Test
  void anEchoAnswersEachMessageOnce() throws Exception {
    measurement.begin();
    try (Echo echo = Echo.start()) {
      Pipeline pipeline = new Pipeline(echo.client(), 5, Echo::answers, clock);
      pipeline.run(measurement);
      pipeline.drain(measurement);
    }
    measurement.end();

    assertThat(measurement.operations()).isEqualTo(5);
  }

  @Test
  void partOfAMessageIsNoEchoYet() {
    ByteBuffer received = ByteBuffer.allocate(2 * Pipeline.MESSAGE_BYTES - 1);

    Echo.answers(received, count -> assertThat(count).isEqualTo(1));

    assertThat(received.remaining()).isEqualTo(Pipeline.MESSAGE_BYTES - 1);
  }

  private static void answer(Pair pair, int count) throws Exception {
    Wire.writeFully(pair.far(), ByteBuffer.allocate(Integer.BYTES).putInt(count).flip());
  }
}
