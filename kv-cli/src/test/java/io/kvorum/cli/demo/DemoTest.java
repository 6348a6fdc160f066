package io.kvorum.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.cli.transfer.KeyValuePair;
import io.kvorum.node.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demonstration must fail on a cluster that forgets: each way to forget, planted. */
@Timeout(60)
class DemoTest {
  private static final int RECORDS = 300;
  private static final Bytes COUNTER = Bytes.utf8("load/07");

  private final FakeDemoCluster cluster = new FakeDemoCluster();
  private final List<String> lines = new ArrayList<>();
  private final FastClock clock = new FastClock();

  @Test
  void aClusterThatKeepsItsPromisesIsOk() throws InterruptedException {
    DemoResult result = run();
    assertThat(result.isOk()).isTrue();
    assertThat(result.records()).isEqualTo(RECORDS);
    assertThat(result.acknowledged()).isGreaterThan(RECORDS + Demo.WRITERS);
    assertThat(result.line())
        .matches(
            "demo: OK records=300 acknowledged=\\d+ lost=0 stale=0 failover_ms=\\d+"
                + " puts_per_s=\\d+");
    assertThat(lines).anyMatch(line -> line.contains("300 characters read back equal"));
  }

  @Test
  void aLostCharacterIsLost() throws InterruptedException {
    cluster.onBlackout = store -> store.remove(Bytes.utf8("unicode/U+0041"));
    DemoResult result = run();
    assertThat(result.lost()).isEqualTo(1);
    assertThat(result.line()).startsWith("demo: FAILED records=300 ").contains(" lost=1 stale=0 ");
  }

  @Test
  void aLostCounterIsLost() throws InterruptedException {
    cluster.onBlackout = store -> store.remove(COUNTER);
    assertThat(run().lost()).isEqualTo(1);
  }

  @Test
  void anOldValueOfACounterIsStale() throws InterruptedException {
    cluster.onBlackout = store -> store.put(COUNTER, Counter.encode(1));
    DemoResult result = run();
    assertThat(result.stale()).isEqualTo(1);
    assertThat(result.line()).startsWith("demo: FAILED").contains(" lost=0 stale=1 ");
  }

  @Test
  void valuesThatNobodyWroteAreWrong() throws InterruptedException {
    cluster.onBlackout =
        store -> {
          store.put(COUNTER, Counter.encode(1_000_000_000));
          store.put(Bytes.utf8("unicode/U+0042"), Bytes.utf8("?"));
        };
    DemoResult result = run();
    assertThat(result.wrong()).isEqualTo(2);
    assertThat(result.line()).startsWith("demo: FAILED").contains(" wrong=2 ");
  }

  @Test
  void aClusterThatElectsNobodyFailsInBoundedTime() {
    cluster.elects = false;
    clock.stepMillis = 1_000;
    assertThatThrownBy(this::run)
        .isInstanceOf(DemoFailure.class)
        .hasMessage("waited 120 s in vain until another node leads");
    assertThat(lines)
        .anyMatch(
            line -> line.matches("  \\.{3} +waits until another node leads, for \\d+ s by now"));
  }

  @Test
  void theCharactersAreThoseOfUnicodeEachWithItsOwnKey() {
    UnicodeRecords records = new UnicodeRecords(Integer.MAX_VALUE);
    Set<Bytes> keys = new HashSet<>();
    for (KeyValuePair pair = records.next(); pair != null; pair = records.next()) {
      assertThat(keys.add(pair.key())).as("key %s is new", pair.key()).isTrue();
    }
    assertThat(keys).hasSizeBetween(140_000, 170_000);
    assertThat(new UnicodeRecords(Integer.MAX_VALUE).count()).isEqualTo(keys.size());
    KeyValuePair acute = UnicodeRecords.pair(0xE9);
    assertThat(acute.key().toUtf8()).isEqualTo("unicode/U+00E9");
    assertThat(acute.value().toUtf8())
        .isEqualTo(
            "{\"name\":\"LATIN SMALL LETTER E WITH ACUTE\",\"category\":\"Ll\","
                + "\"script\":\"LATIN\",\"block\":\"LATIN_1_SUPPLEMENT\"}");
    assertThat(UnicodeRecords.pair(0x1F600).key().toUtf8()).isEqualTo("unicode/U+1F600");
  }

  private DemoResult run() throws InterruptedException {
    return new Demo(cluster, 3, RECORDS, Duration.ofMillis(200), clock, lines::add).run();
  }

  /**
   * A clock on which a limit of half a minute is over soon: each look at it takes a millisecond.
   */
  private static final class FastClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();
    private volatile long stepMillis = 1;

    @Override
    public long nanoTime() {
      return nanos.addAndGet(stepMillis * 1_000_000);
    }

    @Override
    public long wallTimeMillis() {
      return nanos.get() / 1_000_000;
    }
  }
}
