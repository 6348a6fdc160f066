package io.kvorum.client;

import org.jspecify.annotations.Nullable;

/**
 * The calls under way in the order in which they time out.
 *
 * <p>All calls of a client have the same time, so the order of arrival is that order, but for
 * microseconds between threads. A list through the calls themselves: a call that ends leaves it at
 * once, from the middle, and nothing is allocated.
 */
final class Deadlines {
  private @Nullable Call<?> first;
  private @Nullable Call<?> last;

  /** The call that times out next. */
  @Nullable Call<?> first() {
    return first;
  }

  void add(Call<?> call) {
    call.earlier = last;
    if (last == null) {
      first = call;
    } else {
      last.later = call;
    }
    last = call;
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
