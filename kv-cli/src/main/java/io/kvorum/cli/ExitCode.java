package io.kvorum.cli;

/** What a command's exit code says. The help of every command lists them. */
public final class ExitCode {
  public static final int DONE = 0;

  /** The key does not exist, or nothing was deleted; of the demo: it failed. */
  public static final int NOT_FOUND = 1;

  /** Of log, snapshot and doctor: something is damaged. */
  public static final int DAMAGED = 1;

  /** Of backup, verify, restore and fork: it failed; the last line says why. */
  public static final int FAILED = 1;

  public static final int USAGE = 2;

  /** Certainly not executed: no node could be reached, or none leads. */
  public static final int UNAVAILABLE = 3;

  /** May have been executed. */
  public static final int OUTCOME_UNKNOWN = 4;

  /** Not executed, and never will be as it stands. */
  public static final int REJECTED = 5;

  /** A file or directory of this machine cannot be used, or holds something else than it should. */
  public static final int LOCAL = 6;

  /** A port is taken, or the disk fails. */
  public static final int RESOURCE = 7;

  /** Of the server: the node stopped itself, since it could no longer keep its promises. */
  public static final int NODE_STOPPED = 8;

  /** Of the server: the cluster has removed the node, which therefore stopped. */
  public static final int NODE_REMOVED = 9;

  /** Ctrl-C has ended a command: 128 and SIGINT. */
  public static final int INTERRUPTED = 130;

  /** Of lock and elect: what was held is lost; the command that was run is ended. */
  public static final int LOST = 10;

  /** A command that was to be run cannot be started, as in sh. */
  public static final int COMMAND_NOT_RUN = 127;

  /** A bug in Kvorum, as EX_SOFTWARE of sysexits.h. */
  public static final int BUG = 70;

  /** Whoever read our output went away: 128 and SIGPIPE. */
  public static final int OUTPUT_CLOSED = 141;

  private ExitCode() {}
}
