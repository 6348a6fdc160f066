package io.kvorum.cli.demo;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.KvClient;
import io.kvorum.cli.transfer.Importer;
import io.kvorum.cli.transfer.KeyValuePair;
import io.kvorum.cli.transfer.Window;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads the characters back, many at once, each read linearizable, and compares. */
final class ReadBack {
  /** A read may be repeated; each attempt lasts up to the client's deadline. */
  private static final int ATTEMPTS_MAX = 3;

  private final KvClient client;
  private final Window window = new Window(Importer.OUTSTANDING_MAX, Long.MAX_VALUE);
  private long equal;
  private long lost;
  private long different;
  private @Nullable Throwable failure;

  ReadBack(KvClient client) {
    this.client = client;
  }

  /**
   * @param equal to what was written
   * @param lost not there any more
   * @param different there with a value that nobody wrote to it
   */
  record Verdict(long equal, long lost, long different) {}

  /**
   * Reads all of them. Once only for each object.
   *
   * @throws DemoFailure if one could not be read
   */
  Verdict run(UnicodeRecords records) throws InterruptedException {
    for (KeyValuePair pair = records.next(); pair != null; pair = records.next()) {
      window.enter(0);
      get(pair, 1);
    }
    window.awaitEmpty();
    synchronized (this) {
      if (failure != null) {
        throw new DemoFailure("a record could not be read back: " + failure.getMessage());
      }
      return new Verdict(equal, lost, different);
    }
  }

  private void get(KeyValuePair pair, int attempt) {
    CompletableFuture<GetResult> get = client.get(pair.key());
    var unused =
        get.whenComplete(
            (result, thrown) -> {
              if (thrown == null) {
                compare(pair, result.value());
              } else if (attempt < ATTEMPTS_MAX) {
                get(pair, attempt + 1);
              } else {
                fail(thrown);
              }
            });
  }

  private void compare(KeyValuePair pair, Optional<Bytes> found) {
    synchronized (this) {
      if (found.isEmpty()) {
        lost++;
      } else if (found.get().equals(pair.value())) {
        equal++;
      } else {
        different++;
      }
    }
    window.leave(0);
  }

  private void fail(Throwable thrown) {
    synchronized (this) {
      failure = thrown;
    }
    window.leave(0);
  }
}
