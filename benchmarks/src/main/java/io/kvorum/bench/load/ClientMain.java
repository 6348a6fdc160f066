package io.kvorum.bench.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.bench.store.Values;
import io.kvorum.node.SystemClock;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The client process of one system: reads commands from its standard input, one in each line, and
 * answers each on its standard output with {@code answer …} or {@code failed …}. It ends with its
 * input, so that it does not outlive who started it.
 */
public final class ClientMain {
  /** How the answer to a command begins that was done. */
  public static final String ANSWER = "answer ";

  /** How the answer to a command begins that was not; what follows says why. */
  public static final String FAILED = "failed ";

  private ClientMain() {}

  /**
   * Runs it.
   *
   * @param arguments class of the store factory, endpoints, number of keys, bytes of a value
   */
  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    PrintStream answers = System.out;
    // Libraries that print would be taken for answers.
    System.setOut(System.err);
    Values values = new Values(Integer.parseInt(arguments[3]));
    try (Store store = factory(arguments[0]).open(arguments[1]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      Commands commands =
          new Commands(
              store, Integer.parseInt(arguments[2]), values, new SystemClock(), Path.of("/proc"));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        answers.println(answer(commands, line));
        answers.flush();
      }
    }
    // Not every library's threads let a process end.
    System.exit(0);
  }

  private static String answer(Commands commands, String line) {
    try {
      return ANSWER + commands.execute(Fields.parse(line));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return FAILED + "interrupted";
    } catch (Exception failed) {
      failed.printStackTrace();
      return FAILED + String.valueOf(failed.getMessage()).replace('\n', ' ');
    }
  }

  private static StoreFactory factory(String className) throws ReflectiveOperationException {
    return Class.forName(className)
        .asSubclass(StoreFactory.class)
        .getDeclaredConstructor()
        .newInstance();
  }
}
