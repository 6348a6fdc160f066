package io.kvorum.client;

import org.jspecify.annotations.Nullable;

/**
 * The calls under way in the order in which they time out.
 *
 * <p>Nearly all calls of a client have the same time, so the order of arrival is that order; the
 * few that may take longer are passed over when another one is added. A list through the calls
 * themselves: a call that ends leaves it at once, from the middle, and nothing is allocated.
 */
final class Deadlines {
  private @Nullable Call<?> first;
  private @Nullable Call<?> last;

  /** The call that times out next. */
  @Nullable Call<?> first() {
    return first;
  }

  void add(Call<?> call) {
    Call<?> before = last;
    while (before != null && before.deadlineNanos - call.deadlineNanos > 0) {
      before = before.earlier;
    }
    Call<?> behind = before == null ? first : before.later;
    call.earlier = before;
    call.later = behind;
    if (before == null) {
      first = call;
    } else {
      before.later = call;
    }
    if (behind == null) {
      last = call;
    } else {
      behind.earlier = call;
    }
  }

  void remove(Call<?> call) {
    Call<?> before = call.earlier;
    Call<?> behind = call.later;
    if (before == null) {
      first = behind;
    } else {
      before.later = behind;
    }
    if (behind == null) {
      last = before;
    } else {
      behind.earlier = before;
    }
    call.earlier = null;
    call.later = null;
  }
}
