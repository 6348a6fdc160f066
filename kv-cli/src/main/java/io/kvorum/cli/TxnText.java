package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.Compare.Relation;
import io.kvorum.api.Compare.Target;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.cli.transfer.LineInput;
import io.kvorum.cli.transfer.MalformedRecordException;
import io.kvorum.cli.transfer.Text;
import io.kvorum.protocol.TxnRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a transaction in etcdctl's notation: comparisons, an empty line, the operations for the
 * case that all of them hold, an empty line, those for the other case. What ends early is empty.
 *
 * <pre>
 * mod("key") = "0"
 *
 * put key "a value"
 *
 * get key
 * </pre>
 *
 * <p>What is wrong is refused with the number of its line.
 */
final class TxnText {
  /** What names a key and a value: in double quotes, with Go's escapes. */
  private static final Pattern COMPARE =
      Pattern.compile(
          "\\s*([a-z]+)\\s*\\(\\s*("
              + QuotedText.DOUBLE_QUOTED
              + ")\\s*\\)\\s*(=|!=|<|>)\\s*("
              + QuotedText.DOUBLE_QUOTED
              + ")\\s*");

  private final LineInput lines;
  private final Consumer<String> prompt;

  /**
   * A reader.
   *
   * @param prompt told what comes next, for a person to see
   */
  TxnText(LineInput lines, Consumer<String> prompt) {
    this.lines = lines;
    this.prompt = prompt;
  }

  /** Reads all three parts. */
  Txn read() throws IOException {
    prompt.accept("compares:");
    List<Compare> compares = block(TxnText::compare);
    prompt.accept("success requests (get, put, del, add, append):");
    List<Op> success = block(TxnText::operation);
    prompt.accept("failure requests (get, put, del, add, append):");
    List<Op> failure = block(TxnText::operation);
    for (String line = next(); line != null; line = next()) {
      if (!line.isBlank()) {
        throw failure("nothing follows the operations for failure: " + line.strip());
      }
    }
    return new Txn(compares, success, failure);
  }

  private <T> List<T> block(Function<String, T> parse) throws IOException {
    List<T> parsed = new ArrayList<>();
    for (String line = next(); line != null; line = next()) {
      if (line.isBlank()) {
        return parsed;
      }
      if (parsed.size() == TxnRules.OPERATIONS_MAX) {
        throw tooMany();
      }
      try {
        parsed.add(parse.apply(line));
      } catch (IllegalArgumentException wrong) {
        throw failure(String.valueOf(wrong.getMessage()));
      }
    }
    return parsed;
  }

  /** The next line, or null when there is none. */
  private @Nullable String next() throws IOException {
    byte[] line;
    try {
      line = lines.next();
    } catch (MalformedRecordException tooLong) {
      throw CommandFailure.usage(String.valueOf(tooLong.getMessage()));
    }
    if (line == null) {
      return null;
    }
    String text = Text.utf8OrNull(Bytes.wrapUnsafe(line));
    if (text == null) {
      // What a decoder puts in place of such bytes would name another key.
      throw failure("it is not UTF-8; other bytes are written as in \"\\xff\"");
    }
    return text;
  }

  private CommandFailure failure(String what) {
    return CommandFailure.usage("line " + lines.line() + ": " + what);
  }

  /** What the cluster would answer, before all the rest is read. */
  private KvException.Rejected tooMany() {
    return new KvException.Rejected(
        KvException.Reason.TOO_MANY_OPERATIONS,
        "line "
            + lines.line()
            + ": the limit of comparisons, and of operations for either case, is "
            + TxnRules.OPERATIONS_MAX);
  }

  /**
   * A comparison, such as {@code mod("key") = "0"}.
   *
   * @throws IllegalArgumentException that says what is wrong
   */
  static Compare compare(String line) {
    Matcher parts = COMPARE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "no comparison such as mod(\"key\") = \"0\": " + line.strip());
    }
    Target target =
        switch (parts.group(1)) {
          case "ver", "version" -> Target.VERSION;
          case "c", "create" -> Target.CREATE_REVISION;
          case "m", "mod" -> Target.MOD_REVISION;
          case "val", "value" -> Target.VALUE;
          case "lease" -> Target.LEASE;
          default ->
              throw new IllegalArgumentException(
                  "cannot compare " + parts.group(1) + ": mod, create, version, value, lease");
        };
    KeyRange key = KeyRange.single(QuotedText.bytes(parts.group(2)));
    Relation relation =
        switch (parts.group(3)) {
          case "=" -> Relation.EQUAL;
          case "!=" -> Relation.NOT_EQUAL;
          case "<" -> Relation.LESS;
          default -> Relation.GREATER;
        };
    Bytes operand = QuotedText.bytes(parts.group(4));
    return target == Target.VALUE
        ? new Compare(key, target, relation, 0, operand)
        : new Compare(key, target, relation, number(target, operand.toUtf8()), Bytes.EMPTY);
  }

  /** Lease ids are hexadecimal, as etcdctl prints them; 0 is that of no lease. */
  private static long number(Target target, String text) {
    boolean isLease = target == Target.LEASE;
    try {
      return isLease ? Long.parseUnsignedLong(text, 16) : Long.parseLong(text);
    } catch (NumberFormatException noNumber) {
      String allowed = isLease ? "up to 16 hexadecimal digits" : "a decimal number";
      throw new IllegalArgumentException(
          "no number: " + text + "; " + allowed + " may stand there", noNumber);
    }
  }

  /**
   * An operation, such as {@code put key "a value"}.
   *
   * @throws IllegalArgumentException that says what is wrong
   */
  static Op operation(String line) {
    return TxnOperations.parse(QuotedText.words(line));
  }
}
