package io.kvorum.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.SpaceNews;
import org.junit.jupiter.api.Test;

class QuotaIsExactTest {
  private static void isRight(SpaceNews news, long bytes, long otherBytes) {
    assertThatCode(() -> tell(news, bytes, otherBytes)).doesNotThrowAnyException();
  }

  private static void isWrong(SpaceNews news, long bytes, long otherBytes) {
    assertThatThrownBy(() -> tell(news, bytes, otherBytes))
        .isInstanceOf(Violation.class)
        .hasMessageContaining(news + " with " + bytes + " bytes, against " + otherBytes);
  }

  private static void tell(SpaceNews news, long bytes, long otherBytes) {
    new QuotaIsExact().on(new SimEvent.SpaceTold(1, new NodeId("n1"), news, bytes, otherBytes));
  }

  @Test
  void theCountIsThatOfAllRows() {
    isRight(SpaceNews.USED, 7, 7);
    isWrong(SpaceNews.USED, 7, 8);
    isRight(SpaceNews.RECLAIMABLE, 0, 0);
    isWrong(SpaceNews.RECLAIMABLE, 1, 0);
  }

  @Test
  void nothingGrowsBeyondTheQuotaAndNothingIsRefusedThatHasRoom() {
    isRight(SpaceNews.ACCEPTED, 8, 8);
    isWrong(SpaceNews.ACCEPTED, 9, 8);
    isRight(SpaceNews.REFUSED, 9, 8);
    isWrong(SpaceNews.REFUSED, 8, 8);
    isWrong(SpaceNews.REFUSED, 0, 8);
  }
}
