package io.kvorum.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What surrounds a command: its streams and its environment.
 *
 * @param out bytes for standard output; a failed write throws
 * @param err UTF-8, flushed with each line
 * @param inIsTerminal whether a person types what {@code in} reads
 * @param outIsTerminal whether a person looks at {@code out}
 * @param errIsTerminal whether a person looks at {@code err}
 */
record Terminal(
    InputStream in,
    OutputStream out,
    PrintWriter err,
    Map<String, String> environment,
    boolean inIsTerminal,
    boolean outIsTerminal,
    boolean errIsTerminal) {

  /**
   * This process's own. Not {@code System.out}: a PrintStream swallows that the disk is full or the
   * reader gone.
   */
  static Terminal ofProcess() {
    OutputStream err = new FileOutputStream(FileDescriptor.err);
    return new Terminal(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new PrintWriter(err, true, StandardCharsets.UTF_8),
        System.getenv(),
        isTerminal(0),
        isTerminal(1),
        isTerminal(2));
  }

  /**
   * The JDK knows only whether standard input and output together are a terminal. Linux says it of
   * each descriptor; elsewhere nobody draws progress bars, which is no loss.
   */
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException notLinux) {
      return false;
    }
  }
}
