package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.RangeOptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** Completes commands, their options, and keys that exist. */
final class ShellCompleter implements Completer {
  private static final Set<String> COMMANDS_OF_KEYS = Set.of("get", "put", "del", "range", "watch");
  private static final int KEYS_MAX = 100;

  /** Who presses the tabulator waits no longer than this. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Keys that can be written as they are. */
  private static final Pattern PLAIN =
      Pattern.compile("[^\\s'\"\\\\\\p{Cntrl}-][^\\s'\"\\\\\\p{Cntrl}]*");

  private final Function<List<String>, List<String>> words;
  private final KvClient client;

  /**
   * For the commands of a shell.
   *
   * @param words what may stand behind these words, keys apart
   */
  ShellCompleter(Function<List<String>, List<String>> words, KvClient client) {
    this.words = words;
    this.client = client;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    String begun = line.word().substring(0, line.wordCursor());
    candidates(line.words().subList(0, line.wordIndex()), begun)
        .forEach(word -> candidates.add(new Candidate(word)));
  }

  /** What the word that is begun may become, behind those before it. */
  List<String> candidates(List<String> before, String begun) {
    boolean isOption = begun.startsWith("-");
    if (!isOption && before.size() == 1 && COMMANDS_OF_KEYS.contains(before.get(0))) {
      return keys(begun);
    }
    return words.apply(before).stream()
        .filter(word -> word.startsWith(begun) && word.startsWith("-") == isOption)
        .toList();
  }

  private List<String> keys(String begun) {
    RangeOptions how = RangeOptions.DEFAULT.withKeysOnly().withoutCount().withLimit(KEYS_MAX);
    try {
      return client
          .range(KeyRange.prefix(Bytes.utf8(begun)), how)
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
          .keyValues()
          .stream()
          .map(found -> found.key().toString())
          .filter(key -> PLAIN.matcher(key).matches())
          .toList();
    } catch (ExecutionException | TimeoutException unreachable) {
      // Then there is nothing to propose; the command itself will say what is wrong.
      return List.of();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }
}
