package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The arguments as they were given.
 *
 * <p>Under a locale that is not UTF-8 (LANG=C in containers and cron) the JVM turns each byte of an
 * argument that is not ASCII into a question mark or a replacement character: two keys would become
 * one. Linux still has the bytes.
 */
final class RawArguments {
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

  private RawArguments() {}

  /** The same arguments, decoded as UTF-8 even if the locale is another one. */
  static String[] recover(String[] arguments, String nativeEncoding) {
    if (nativeEncoding.equalsIgnoreCase("UTF-8") || surelyAscii(arguments)) {
      return arguments;
    }
    try {
      return last(arguments.length, Files.readAllBytes(COMMAND_LINE));
    } catch (IOException notLinux) {
      throw CommandFailure.usage(
          "an argument is not ASCII and the locale (" + nativeEncoding + ") is not UTF-8");
    }
  }

  /** The last arguments of a command line whose arguments each end in a zero byte. */
  static String[] last(int count, byte[] commandLine) {
    List<String> all = List.of(new String(commandLine, UTF_8).split("\0", -1));
    // What stands behind the last zero byte is no argument.
    return all.subList(all.size() - 1 - count, all.size() - 1).toArray(String[]::new);
  }

  /** Every command runs through here first: a stream would load classes for milliseconds. */
  private static boolean surelyAscii(String[] arguments) {
    for (String argument : arguments) {
      for (int i = 0; i < argument.length(); i++) {
        if (argument.charAt(i) >= 0x80 || argument.charAt(i) == '?') {
          return false;
        }
      }
    }
    return true;
  }
}
