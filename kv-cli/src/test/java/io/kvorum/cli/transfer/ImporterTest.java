package io.kvorum.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.cli.FakeClient;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many puts at once, and what becomes of those that fail. */
@Timeout(30)
class ImporterTest {
  private final FakeClient client = new FakeClient();

  @Test
  void everythingIsStoredBehindThePrefix() throws InterruptedException {
    List<Long> progress = new ArrayList<>();
    Importer.Result result =
        new Importer(client, progress::add).run(source("a=1", "b=2"), Bytes.utf8("p/"));
    assertThat(result).isEqualTo(new Importer.Result(2, 0, null));
    assertThat(client.content()).containsExactly("p/a=1", "p/b=2");
    assertThat(progress).containsExactly(1L, 2L);
  }

  @Test
  void aPutOfUnknownOutcomeIsRepeatedWhetherItTookEffectOrNot() throws InterruptedException {
    for (boolean takesEffect : List.of(true, false)) {
      FakeClient fresh = new FakeClient();
      failFirst(fresh, takesEffect, new KvException.OutcomeUnknown("cut off"));
      Importer.Result result =
          new Importer(fresh, stored -> {}).run(source("a=1", "b=2"), Bytes.EMPTY);
      assertThat(result).isEqualTo(new Importer.Result(2, 2, null));
      assertThat(fresh.content()).containsExactly("a=1", "b=2");
    }
  }

  @Test
  void anOverloadedClusterIsTriedAgainLater() throws InterruptedException {
    failFirst(client, false, new KvException.Overloaded("busy", Duration.ofMillis(1)));
    Importer.Result result = run(source("a=1", "b=2"));
    assertThat(result).isEqualTo(new Importer.Result(2, 2, null));
  }

  @Test
  void whatStaysUnavailableStopsTheImportAfterThreeAttempts() throws InterruptedException {
    KvException down = new KvException.Unavailable("no leader");
    client.failPuts(
        false, key -> key.equals(Bytes.utf8("b")) ? Optional.of(down) : Optional.empty());
    Importer.Result result = run(source("a=1", "b=2", "c=3"));
    assertThat(result).isEqualTo(new Importer.Result(1, 2, down));
    assertThat(client.puts()).isEqualTo(4);
    assertThat(client.content()).containsExactly("a=1");
  }

  @Test
  void whatIsRejectedIsNotRepeated() throws InterruptedException {
    KvException rejected = new KvException.Rejected(Reason.TOO_LARGE, "too large");
    client.failPuts(false, key -> Optional.of(rejected));
    assertThat(run(source("a=1"))).isEqualTo(new Importer.Result(0, 0, rejected));
    assertThat(client.puts()).isEqualTo(1);
  }

  @Test
  void aMalformedRecordStopsTheImportAndWhatCameBeforeIsStored() throws InterruptedException {
    MalformedRecordException malformed = new MalformedRecordException(3, "bad");
    Iterator<String> pairs = List.of("a=1", "b=2").iterator();
    Importer.Result result =
        run(
            () -> {
              if (!pairs.hasNext()) {
                throw malformed;
              }
              return pair(pairs.next());
            });
    assertThat(result).isEqualTo(new Importer.Result(2, 0, malformed));
    assertThat(client.content()).containsExactly("a=1", "b=2");
  }

  @Test
  void theLastValueOfAKeyThatComesTwiceStands() throws InterruptedException {
    Importer.Result result = run(source("a=1", "a=2", "b=1", "a=3"));
    assertThat(result.failure()).isNull();
    assertThat(client.content()).containsExactly("a=3", "b=1");
  }

  @Test
  void twoPutsOfAKeyAreNeverUnderWayTogether() throws InterruptedException {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    client.holdPutsUntil(gate);
    Thread importing =
        new Thread(
            () -> {
              try {
                run(source("a=1", "b=1", "a=2"));
              } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
              }
            });
    importing.start();
    Await.until(
        "the importer waits",
        Duration.ofSeconds(10),
        () -> importing.getState() == Thread.State.WAITING);
    gate.complete(null);
    importing.join();
    assertThat(client.overlapped()).isFalse();
    assertThat(client.content()).containsExactly("a=2", "b=1");
  }

  @Test
  void aKeyOfUnknownOutcomeMustNotComeAgain() throws InterruptedException {
    failFirst(client, true, new KvException.OutcomeUnknown("cut off"));
    Importer.Result result = run(source("a=1", "a=2"));
    assertThat(result.stored()).isEqualTo(1);
    assertThat(result.failure()).isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(client.content()).containsExactly("a=1");
  }

  private Importer.Result run(RecordReader source) throws InterruptedException {
    return new Importer(client, stored -> {}).run(source, Bytes.EMPTY);
  }

  private static void failFirst(FakeClient client, boolean takesEffect, KvException failure) {
    Set<Bytes> seen = new HashSet<>();
    client.failPuts(takesEffect, key -> seen.add(key) ? Optional.of(failure) : Optional.empty());
  }

  private static RecordReader source(String... pairs) {
    Iterator<String> iterator = List.of(pairs).iterator();
    return new RecordReader() {
      @Override
      public KeyValuePair next() throws IOException {
        return iterator.hasNext() ? pair(iterator.next()) : null;
      }
    };
  }

  private static KeyValuePair pair(String text) {
    String[] parts = text.split("=", 2);
    return new KeyValuePair(Bytes.utf8(parts[0]), Bytes.utf8(parts[1]));
  }
}
