package io.kvorum.client.recipes;

import io.kvorum.api.KvException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Reads what futures fail with. */
final class Failures {
  private Failures() {}

  /** The failure itself, without what futures wrap around it. */
  static Throwable cause(Throwable failure) {
    Throwable at = failure;
    while ((at instanceof CompletionException || at instanceof ExecutionException)
        && at.getCause() != null) {
      at = at.getCause();
    }
    return at;
  }

  /** Whether the same may succeed later: nothing was wrong with the request. */
  static boolean mayPass(Throwable cause) {
    return (cause instanceof KvException.Unavailable || cause instanceof KvException.OutcomeUnknown)
        && !isClientClosed(cause);
  }

  static boolean isClientClosed(@Nullable Throwable cause) {
    return cause instanceof KvException.ClientClosed;
  }

  static boolean isLeaseGone(Throwable cause) {
    return cause instanceof KvException.Rejected rejected
        && rejected.reason() == KvException.Reason.LEASE_NOT_FOUND;
  }
}
