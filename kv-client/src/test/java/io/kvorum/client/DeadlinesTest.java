package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Calls time out in the order of their deadlines, also where some may take much longer. */
class DeadlinesTest {
  @Test
  void theFirstIsTheOneThatTimesOutNext() {
    Deadlines deadlines = new Deadlines();
    Call<?> change = call(300);
    Call<?> put = call(5);
    Call<?> later = call(6);
    deadlines.add(change);
    deadlines.add(put);
    deadlines.add(later);
    assertThat(taken(deadlines)).containsExactly(5L, 6L, 300L);
  }

  @Test
  void anyOrderOfArrivalAndAnyRemovalKeepTheOrder() {
    SplittableRandom random = new SplittableRandom(42);
    for (int round = 0; round < 200; round++) {
      Deadlines deadlines = new Deadlines();
      List<Call<?>> all = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        Call<?> call = call(random.nextInt(6));
        all.add(call);
        deadlines.add(call);
      }
      for (int i = 0; i < 4; i++) {
        deadlines.remove(all.remove(random.nextInt(all.size())));
      }
      assertThat(taken(deadlines))
          .as("round %d", round)
          .isEqualTo(all.stream().map(call -> call.deadlineNanos).sorted().toList());
    }
  }

  private static List<Long> taken(Deadlines deadlines) {
    List<Long> taken = new ArrayList<>();
    for (Call<?> call = deadlines.first(); call != null; call = deadlines.first()) {
      taken.add(call.deadlineNanos);
      deadlines.remove(call);
    }
    return taken;
  }

  private static Call<?> call(long deadlineNanos) {
    return new Call<>(Requests.members(), deadlineNanos, null);
  }
}
