package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.client.recipes.OwnershipLostException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;

/** Says on standard error, in one line, what a failure means, and picks the exit code. */
final class Failures {
  private Failures() {}

  /** Reports what a command threw. */
  static int report(String command, Throwable thrown, PrintWriter err) {
    if (thrown instanceof CommandFailure local) {
      if (local.exitCode() != ExitCode.OUTPUT_CLOSED) {
        line(err, command, String.valueOf(local.getMessage()));
      }
      return local.exitCode();
    }
    if (thrown instanceof KvException expected) {
      line(err, command, describe(expected));
      return exitCode(expected);
    }
    if (thrown instanceof IOException || thrown instanceof UncheckedIOException) {
      line(err, command, thrown.toString());
      return ExitCode.LOCAL;
    }
    if (thrown instanceof OwnershipLostException) {
      line(err, command, String.valueOf(thrown.getMessage()));
      return ExitCode.LOST;
    }
    if (thrown instanceof InterruptedException) {
      return ExitCode.INTERRUPTED;
    }
    line(err, command, "this is a bug in Kvorum: " + thrown);
    thrown.printStackTrace(err);
    err.flush();
    return ExitCode.BUG;
  }

  /** What happened and what may be concluded from it. */
  static String describe(KvException failure) {
    return name(failure) + conclusion(failure);
  }

  /** What happened; for those who conclude something themselves, of more than one request. */
  static String name(KvException failure) {
    if (failure instanceof KvException.Rejected rejected) {
      return "rejected (" + rejected.reason() + "): " + rejected.getMessage();
    }
    if (failure instanceof KvException.OutcomeUnknown) {
      return "outcome unknown: " + failure.getMessage();
    }
    if (failure instanceof KvException.Unavailable) {
      return "unavailable: " + failure.getMessage();
    }
    throw new AssertionError("a KvException of no known kind: " + failure.getClass());
  }

  private static String conclusion(KvException failure) {
    if (failure instanceof KvException.Rejected rejected) {
      return outcome(rejected.reason());
    }
    return failure instanceof KvException.OutcomeUnknown
        ? " (it may have been executed, once; reading tells)"
        : " (certainly not executed; trying again is safe)";
  }

  private static String outcome(KvException.Reason reason) {
    return switch (reason) {
      // A change of members is several steps: its message says which of them were made.
      case MEMBERS_REFUSED -> "";
      case SPACE_EXCEEDED -> " (not executed; it may be when there is room)";
      default -> " (not executed, and never will be as it stands)";
    };
  }

  static int exitCode(KvException failure) {
    if (failure instanceof KvException.Rejected) {
      return ExitCode.REJECTED;
    }
    return failure instanceof KvException.OutcomeUnknown
        ? ExitCode.OUTCOME_UNKNOWN
        : ExitCode.UNAVAILABLE;
  }

  private static void line(PrintWriter err, String command, String message) {
    err.println(command + ": " + message.replace('\n', ' '));
    err.flush();
  }
}
