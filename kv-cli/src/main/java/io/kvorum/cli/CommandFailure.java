package io.kvorum.cli;

/**
 * Why a command ends without having done what it was told, where the cluster is not to blame: wrong
 * usage, or something on this machine that stands in the way. The message says what.
 */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** Wrong usage that only a look at several arguments together shows. */
  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.USAGE, message);
  }

  /** Refuses a number that is too small, as wrong usage. */
  static void checkAtLeast(String name, long least, long value) {
    if (value < least) {
      throw usage(name + " is at least " + least + ", not " + value);
    }
  }

  /** A file or directory of this machine cannot be used, or holds something else than it should. */
  static CommandFailure local(String message) {
    return new CommandFailure(ExitCode.LOCAL, message);
  }

  CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** A port is taken, or the disk fails. */
  static CommandFailure resource(String message) {
    return new CommandFailure(ExitCode.RESOURCE, message);
  }

  int exitCode() {
    return exitCode;
  }
}
