package io.kvorum.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.simulator.trace.SimEvent.OnceNews;
import io.kvorum.simulator.trace.SimEvent.OnceTold;
import org.junit.jupiter.api.Test;

/** Each way in which a write can take effect otherwise than its writer may think. */
class ExactlyOnceTest {
  private final ExactlyOnce checker = new ExactlyOnce();

  private void tell(OnceNews news, long token, long place) {
    checker.on(new OnceTold(0, news, 0, token, place));
  }

  private void begun(long... tokens) {
    for (long token : tokens) {
      tell(OnceNews.BEGUN, token, 1);
    }
  }

  private void found(long... tokens) {
    for (int i = 0; i < tokens.length; i++) {
      tell(OnceNews.FOUND, tokens[i], i + 1);
    }
    tell(OnceNews.COUNTED, 0, tokens.length);
  }

  private void violated(Runnable last, String why) {
    assertThatThrownBy(last::run).isInstanceOf(Violation.class).hasMessageContaining(why);
  }

  @Test
  void whatHappenedOnceAndInOrderIsRight() {
    begun(1, 2, 3, 4);
    tell(OnceNews.ANSWERED, 1, 1);
    tell(OnceNews.ANSWERED, 1, 1);
    tell(OnceNews.FAILED, 3, 0);
    tell(OnceNews.ANSWERED, 4, 3);
    assertThatCode(() -> found(1, 2, 4)).doesNotThrowAnyException();
  }

  @Test
  void aWriteThatTookEffectTwice() {
    begun(1, 2);
    violated(() -> found(1, 2, 1), "and before, at 1");
  }

  @Test
  void aWriteThatWasAcknowledgedAndIsGone() {
    begun(1, 2);
    tell(OnceNews.ANSWERED, 2, 2);
    violated(() -> found(1), "found at null");
  }

  @Test
  void aWriteThatHasFailedAndTookEffect() {
    begun(1);
    tell(OnceNews.FAILED, 1, 0);
    violated(() -> found(1), "although it has failed");
  }

  @Test
  void aRepetitionThatIsAnsweredOtherwise() {
    begun(1);
    tell(OnceNews.ANSWERED, 1, 1);
    violated(() -> tell(OnceNews.ANSWERED, 1, 2), "is now said to be the 2th");
  }

  @Test
  void twoWritesThatHaveOneAnswer() {
    begun(1, 2);
    tell(OnceNews.ANSWERED, 1, 1);
    violated(() -> tell(OnceNews.ANSWERED, 2, 1), "both");
  }

  @Test
  void writesOfOneClientInAnotherOrder() {
    begun(1, 2);
    violated(() -> found(2, 1), "took effect first");
  }

  @Test
  void writesWithoutAPromiseInAnyOrder() {
    tell(OnceNews.BEGUN, 1, 0);
    tell(OnceNews.BEGUN, 2, 0);
    assertThatCode(() -> found(2, 1)).doesNotThrowAnyException();
  }

  @Test
  void aCounterThatSaysOtherwise() {
    begun(1);
    tell(OnceNews.FOUND, 1, 1);
    violated(() -> tell(OnceNews.COUNTED, 0, 2), "2 writes were counted, 1 found");
  }
}
