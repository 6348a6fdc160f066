package io.kvorum.server.net;

import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ServerFrame;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the order of one connection's numbered requests. When one was refused before it came into
 * the log, those behind it that are on their way already are refused as well, until it comes again,
 * or its client acknowledges it and so gives it up: else they would take effect before it (FAULTS
 * F110). Nobody waits for the missing one.
 */
final class InOrder {
  private long session;
  private long refused;
  private @Nullable Error why;

  /** Why the request must not overtake another one, or null. */
  @Nullable Error refuse(ClientFrame frame) {
    if (why == null || !frame.hasNumbered() || frame.getNumbered().getSession() != session) {
      return null;
    }
    if (frame.getNumbered().getSequence() <= refused
        || frame.getNumbered().getAcknowledgedBelow() > refused) {
      why = null;
    }
    return why;
  }

  /** Looks at the answer on its way to the client. */
  Consumer<ServerFrame> watch(ClientFrame frame, Consumer<ServerFrame> answer) {
    if (!frame.hasNumbered()) {
      return answer;
    }
    long number = frame.getNumbered().getSequence();
    long of = frame.getNumbered().getSession();
    return answered -> {
      boolean isRefused = answered.getError().getKind() == Error.Kind.UNAVAILABLE;
      if (isRefused && (why == null || of != session || number < refused)) {
        session = of;
        refused = number;
        why = forThoseBehind(answered.getError());
      }
      answer.accept(answered);
    };
  }

  /**
   * They may be such as need no space: they come again, when what they would overtake is given up.
   */
  private static Error forThoseBehind(Error why) {
    return why.getReason() == Error.Reason.NO_SPACE
        ? why.toBuilder().setReason(Error.Reason.OVERLOADED).setRetryAfterMillis(1).build()
        : why;
  }
}
