package io.kvorum.simulator.check;

import io.kvorum.api.Bytes;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import org.junit.jupiter.api.Test;

/** Of {@link EveryCallEndsOnce}. */
class EveryCallEndsOnceTest {
  private static final ClientOutcome UNKNOWN = new ClientOutcome.Unknown("timeout");
  private static final ClientOperation GET = new ClientOperation.Get(Bytes.utf8("k"));

  @Test
  void callsThatEndAreFine() {
    new Events()
        .called(1, 1, GET)
        .called(2, 2, GET)
        .returned(1, 1, UNKNOWN)
        .returned(2, 2, UNKNOWN)
        .areFineFor(new EveryCallEndsOnce());
  }

  @Test
  void oneWithoutAnEndIsNot() {
    new Events()
        .called(1, 1, GET)
        .returned(1, 1, UNKNOWN)
        .called(1, 2, GET)
        .areIncompleteFor(new EveryCallEndsOnce(), "1 calls have no end", "operation=2");
  }

  @Test
  void norIsOneWithTwo() {
    new Events()
        .called(1, 1, GET)
        .returned(1, 1, UNKNOWN)
        .returned(1, 1, UNKNOWN)
        .endBadlyFor(new EveryCallEndsOnce(), "operation 1 ends, but has ended before");
  }

  @Test
  void norIsAnEndThatNobodyCalledFor() {
    new Events()
        .returned(1, 1, UNKNOWN)
        .endBadlyFor(new EveryCallEndsOnce(), "operation 1 ends, but was never called");
  }

  @Test
  void norIsAnEndForAnotherClient() {
    new Events()
        .called(1, 1, GET)
        .returned(2, 1, UNKNOWN)
        .endBadlyFor(new EveryCallEndsOnce(), "operation 1 of client 1 ends for client 2");
  }

  @Test
  void norIsANumberUsedTwice() {
    new Events()
        .called(1, 1, GET)
        .called(2, 1, GET)
        .endBadlyFor(new EveryCallEndsOnce(), "operation 1 is called twice");
  }
}
