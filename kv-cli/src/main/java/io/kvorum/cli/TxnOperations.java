package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The operations of a transaction, each a line with the arguments that etcdctl takes. Keys and
 * values pass the parser of arguments as text of one character for each byte.
 */
final class TxnOperations {
  private TxnOperations() {}

  /**
   * The operation that the words mean.
   *
   * @throws IllegalArgumentException that says what is wrong
   */
  static Op parse(List<Bytes> words) {
    String name = words.get(0).toUtf8();
    Line line =
        switch (name) {
          case "put" -> new PutLine();
          case "get" -> new GetLine();
          case "del" -> new DelLine();
          case "add" -> new AddLine();
          case "append" -> new AppendLine();
          default ->
              throw new IllegalArgumentException(
                  "no operation " + name + "; there are put, get, del, add, append");
        };
    String[] arguments =
        words.stream()
            .skip(1)
            .map(word -> new String(word.arrayUnsafe(), ISO_8859_1))
            .toArray(String[]::new);
    try {
      new CommandLine(line)
          .setCaseInsensitiveEnumValuesAllowed(true)
          .setExpandAtFiles(false)
          .setUnmatchedOptionsArePositionalParams(true)
          .parseArgs(arguments);
      return line.op();
    } catch (ParameterException | CommandFailure | KvException.Rejected wrong) {
      throw new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong);
    }
  }

  private static Bytes bytes(String text) {
    return Bytes.wrapUnsafe(text.getBytes(ISO_8859_1));
  }

  private static KeyRange range(String key, @Nullable String end, boolean prefix, boolean fromKey) {
    return KeyArguments.range(bytes(key), end == null ? null : bytes(end), prefix, fromKey);
  }

  /** A line of a transaction, once its arguments are there. */
  private interface Line {
    Op op();
  }

  /** {@code put KEY VALUE}. */
  @Command
  private static final class PutLine implements Line {
    @Parameters(index = "0", paramLabel = "KEY")
    private String key = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "VALUE")
    private @Nullable String value;

    @Option(names = "--prev-kv")
    private boolean previous;

    @Option(names = "--ignore-value")
    private boolean ignoreValue;

    @Option(names = "--ignore-lease")
    private boolean ignoreLease;

    @Option(names = "--lease", paramLabel = "HEX")
    private @Nullable String lease;

    @Override
    public Op op() {
      if (value == null && !ignoreValue) {
        throw new IllegalArgumentException("put: the value is missing");
      }
      long hangsOn = lease == null ? 0 : LeaseId.parse("--lease", lease);
      PutOptions how = new PutOptions(previous, ignoreValue, hangsOn, ignoreLease);
      return Op.put(bytes(key), value == null ? Bytes.EMPTY : bytes(value), how);
    }
  }

  /** {@code get KEY}. */
  @Command
  private static final class GetLine implements Line {
    @Mixin private final SelectionOptions selection = new SelectionOptions();

    @Parameters(index = "0", paramLabel = "KEY")
    private String key = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "END")
    private @Nullable String end;

    @Option(names = "--prefix")
    private boolean prefix;

    @Option(names = "--from-key")
    private boolean fromKey;

    @Override
    public Op op() {
      selection.check();
      return Op.range(range(key, end, prefix, fromKey), selection.rangeOptions());
    }
  }

  /** {@code del KEY}. */
  @Command
  private static final class DelLine implements Line {
    @Parameters(index = "0", paramLabel = "KEY")
    private String key = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "END")
    private @Nullable String end;

    @Option(names = "--prefix")
    private boolean prefix;

    @Option(names = "--from-key")
    private boolean fromKey;

    @Option(names = "--prev-kv")
    private boolean previous;

    @Override
    public Op op() {
      return Op.deleteRange(range(key, end, prefix, fromKey), new DeleteOptions(previous));
    }
  }

  /** {@code add KEY DELTA}. */
  @Command
  private static final class AddLine implements Line {
    @Parameters(index = "0", paramLabel = "KEY")
    private String key = "";

    @Parameters(index = "1", paramLabel = "DELTA")
    private long delta;

    @Override
    public Op op() {
      return Op.add(bytes(key), delta);
    }
  }

  /** {@code append KEY SUFFIX}. */
  @Command
  private static final class AppendLine implements Line {
    @Parameters(index = "0", paramLabel = "KEY")
    private String key = "";

    @Parameters(index = "1", paramLabel = "SUFFIX")
    private String suffix = "";

    @Override
    public Op op() {
      return Op.append(bytes(key), bytes(suffix));
    }
  }
}
