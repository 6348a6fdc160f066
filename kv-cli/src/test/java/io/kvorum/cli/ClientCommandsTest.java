package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.api.KvException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** put, get, del and range: what they print, and the exit code that says how it went. */
class ClientCommandsTest {
  private final CommandLineHarness kvorum = new CommandLineHarness();

  @Test
  void putThenGetPrintsTheValueAndALineEnd() {
    assertThat(kvorum.run("put", "k", "v")).isZero();
    assertThat(kvorum.out()).isEqualTo("revision 1\n");
    assertThat(kvorum.run("get", "k")).isZero();
    assertThat(kvorum.out()).isEqualTo("v\n");
    assertThat(kvorum.err()).isEmpty();
    assertThat(kvorum.client.isClosed()).isTrue();
  }

  @Test
  void aWriteMayHaveAnIdempotencyKey() {
    assertThat(kvorum.run("put", "--idempotency-key", "order 1", "k", "v")).isZero();
    assertThat(kvorum.client.lastIdempotencyKey())
        .contains(new IdempotencyKey(Bytes.utf8("order 1"), Duration.ofHours(1)));
    kvorum.run("put", "--idempotency-key", "x", "--idempotency-ttl", "2m", "k", "v");
    assertThat(kvorum.client.lastIdempotencyKey())
        .contains(new IdempotencyKey(Bytes.utf8("x"), Duration.ofMinutes(2)));
    assertThat(kvorum.run("put", "--idempotency-ttl", "2m", "k", "v")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("--idempotency-ttl goes with --idempotency-key");
    assertThat(kvorum.run("del", "--idempotency-key", "k".repeat(257), "k"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("256");
  }

  @Test
  void putTakesBytesFromStandardInputAsTheyAre() {
    byte[] value = {0, (byte) 0xff, '\n', (byte) 0x80};
    assertThat(kvorum.withInput(value).run("put", "k", "-")).isZero();
    assertThat(kvorum.client.present().get(Bytes.utf8("k")).value()).isEqualTo(Bytes.copyOf(value));
    assertThat(kvorum.run("get", "k")).isZero();
    assertThat(kvorum.outBytes()).containsExactly(0, 0xff, '\n', 0x80, '\n');
  }

  @Test
  void aValueMayLookLikeAFileNameOrAnOption() {
    assertThat(kvorum.run("put", "k", "@/etc/passwd")).isZero();
    assertThat(kvorum.run("put", "--", "-k", "-5")).isZero();
    assertThat(kvorum.client.content()).containsExactly("-k=-5", "k=@/etc/passwd");
  }

  @Test
  void jsonCarriesTextAsTextAndOtherBytesAsBase64() {
    kvorum.run("put", "k", "grüß\n\"");
    assertThat(kvorum.run("get", "k", "-o", "json")).isZero();
    assertThat(kvorum.out())
        .isEqualTo(
            "{\"key\":\"k\",\"value\":\"grüß\\n\\\"\",\"createRevision\":1,"
                + "\"modRevision\":1,\"version\":1}\n");
    kvorum.run("put", "--hex", "6b", "ff00");
    assertThat(kvorum.run("get", "k", "-o", "json")).isZero();
    assertThat(kvorum.out()).contains("\"valueBase64\":\"/wA=\"").contains("\"version\":2");
  }

  @Test
  void hexAndBase64ReadAndWriteAnyBytes() {
    assertThat(kvorum.run("put", "--hex", "00ff", "0a0D")).isZero();
    assertThat(kvorum.run("get", "--hex", "00ff")).isZero();
    assertThat(kvorum.out()).isEqualTo("0a0d\n");
    assertThat(kvorum.run("get", "--base64", "AP8=")).isZero();
    assertThat(kvorum.out()).isEqualTo("Cg0=\n");
    assertThat(kvorum.run("range", "--base64")).isZero();
    assertThat(kvorum.out()).isEqualTo("AP8=\tCg0=\n");
  }

  @Test
  void getAtARevisionReadsThePast() {
    kvorum.run("put", "k", "old");
    kvorum.run("put", "k", "new");
    assertThat(kvorum.run("get", "k", "--rev", "1")).isZero();
    assertThat(kvorum.out()).isEqualTo("old\n");
    assertThat(kvorum.run("get", "k", "--rev", "9")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("REVISION_IN_FUTURE").contains("never will be");
  }

  @Test
  void aKeyThatDoesNotExistIsExitCodeOneAndNothingOnStandardOutput() {
    assertThat(kvorum.run("get", "nothing")).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(kvorum.out()).isEmpty();
    assertThat(kvorum.err()).isEqualTo("kvorum get: no such key: nothing\n");
  }

  @Test
  void delSaysHowManyThereWere() {
    fill("a", "ab", "b", "c", "d");
    assertThat(kvorum.run("del", "c")).isZero();
    assertThat(kvorum.out()).isEqualTo("1\n");
    assertThat(kvorum.run("del", "c")).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(kvorum.out()).isEqualTo("0\n");
    assertThat(kvorum.run("del", "--prefix", "a", "-o", "json")).isZero();
    assertThat(kvorum.out()).isEqualTo("{\"deleted\":2,\"revision\":7}\n");
    assertThat(kvorum.run("del", "--from", "b", "--to", "c")).isZero();
    assertThat(kvorum.client.content()).containsExactly("d=d");
    fill("da");
    assertThat(kvorum.run("del", "d", "--prefix")).isZero();
    assertThat(kvorum.out()).isEqualTo("2\n");
    fill("e");
    assertThat(kvorum.run("del", "--prefix", "")).isZero();
    assertThat(kvorum.client.content()).isEmpty();
  }

  @Test
  void delWantsToBeToldOneThingToDelete() {
    fill("a");
    assertThat(kvorum.run("del")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("del", "a", "--prefix", "b")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("del", "--prefix", "b", "--from", "c")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("del", "--prefix")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("range", "--prefix")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.client.content()).containsExactly("a=a");
  }

  @Test
  void rangeReadsAllPagesInOrder() {
    String[] keys = numbered(40);
    fill(keys);
    assertThat(kvorum.run("range", "--keys-only")).isZero();
    assertThat(kvorum.out().lines()).containsExactly(keys);
    assertThat(kvorum.run("range", "--keys-only", "--reverse")).isZero();
    assertThat(kvorum.out().lines().toList()).isEqualTo(reversed(keys));
  }

  @Test
  void rangeAtARevisionReadsThePast() {
    fill(numbered(20));
    kvorum.run("del", "--prefix", "");
    assertThat(kvorum.run("range", "--rev", "20", "--keys-only")).isZero();
    assertThat(kvorum.out().lines()).containsExactly(numbered(20));
    assertThat(kvorum.run("range")).isZero();
    assertThat(kvorum.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 6, 7, 8, 14, 15, 20})
  void aLimitHoldsAcrossPages(int limit) {
    String[] keys = numbered(20);
    fill(keys);
    assertThat(kvorum.run("range", "--keys-only", "--limit=" + limit)).isZero();
    assertThat(kvorum.out().lines().toList()).isEqualTo(List.of(keys).subList(0, limit));
    assertThat(kvorum.run("range", "--keys-only", "--reverse", "--limit=" + limit)).isZero();
    assertThat(kvorum.out().lines().toList()).isEqualTo(reversed(keys).subList(0, limit));
  }

  @Test
  void rangeTakesAPrefixOrTwoEnds() {
    fill("a", "ab", "b", "c");
    kvorum.run("range", "a", "--keys-only");
    assertThat(kvorum.out()).isEqualTo("a\nab\n");
    kvorum.run("range", "--from", "ab", "--to", "c", "--keys-only");
    assertThat(kvorum.out()).isEqualTo("ab\nb\n");
    kvorum.run("range", "--to", "b", "--keys-only");
    assertThat(kvorum.out()).isEqualTo("a\nab\n");
    kvorum.run("range", "a", "--prefix", "--keys-only");
    assertThat(kvorum.out()).isEqualTo("a\nab\n");
    assertThat(kvorum.run("range", "a", "--from", "b")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("range", "nothing")).isZero();
    assertThat(kvorum.out()).isEmpty();
  }

  @Test
  void rangeWritesOneLineForEachKeyWhateverTheBytes() {
    kvorum.run("put", "k", "a\tb\nc\\\u001b[31m\u0085ü");
    kvorum.run("put", "--hex", "6c", "c328");
    assertThat(kvorum.run("range")).isZero();
    assertThat(kvorum.out()).isEqualTo("k\ta\\tb\\nc\\\\\\x1b[31m\\xc2\\x85ü\nl\t\\xc3(\n");
    assertThat(kvorum.run("range", "-o", "json", "--keys-only")).isZero();
    assertThat(kvorum.out().lines()).hasSize(2).noneMatch(line -> line.contains("value\":"));
  }

  @Test
  void rangeCountsWithoutReadingTheKeys() {
    fill(numbered(20));
    assertThat(kvorum.run("range", "--count")).isZero();
    assertThat(kvorum.out()).isEqualTo("20\n");
    assertThat(kvorum.run("range", "--count", "--rev", "5", "-o", "json")).isZero();
    assertThat(kvorum.out()).isEqualTo("{\"count\":5,\"revision\":20}\n");
  }

  @Test
  void whatNoClusterAcceptsIsRejected() {
    assertThat(kvorum.run("put", "", "v")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.run("put", "k".repeat(5000), "v")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("TOO_LARGE").contains("4096");
    assertThat(kvorum.run("range", "--limit=-1")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.run("range", "--from", "b", "--to", "a")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("reversed");
  }

  @Test
  void theExitCodeAndTheMessageSayWhatMayBeConcluded() {
    kvorum.client.failPuts(false, key -> Optional.of(new KvException.Unavailable("no leader")));
    assertThat(kvorum.run("put", "k", "v")).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(kvorum.err())
        .isEqualTo(
            "kvorum put: unavailable: no leader (certainly not executed; trying again is safe)\n");
    kvorum.client.failPuts(false, key -> Optional.of(new KvException.OutcomeUnknown("cut off")));
    assertThat(kvorum.run("put", "k", "v")).isEqualTo(ExitCode.OUTCOME_UNKNOWN);
    assertThat(kvorum.err()).contains("may have been executed").hasLineCount(1);
    assertThat(kvorum.out()).isEmpty();
  }

  @Test
  void aReaderThatWentAwayEndsTheCommandQuietly() {
    fill(numbered(50));
    kvorum.withReaderThatLeavesAfter(10);
    assertThat(kvorum.run("range")).isEqualTo(ExitCode.OUTPUT_CLOSED);
    assertThat(kvorum.err()).isEmpty();
    assertThat(kvorum.run("export")).isEqualTo(ExitCode.OUTPUT_CLOSED);
    assertThat(kvorum.err()).isEmpty();
    assertThat(kvorum.run("range", "--help")).isEqualTo(ExitCode.OUTPUT_CLOSED);
    assertThat(kvorum.err()).isEmpty();
  }

  @Test
  void endpointsComeFromTheOptionElseTheEnvironmentElseTheDefault() {
    kvorum.run("get", "k");
    assertThat(kvorum.connectedTo).containsExactly("127.0.0.1:7400");
    kvorum.environment.put("KVORUM_ENDPOINTS", "a:1, b:2");
    kvorum.run("get", "k");
    assertThat(kvorum.connectedTo).containsExactly("a:1", "b:2");
    kvorum.run("get", "k", "--endpoints", "c:3,d:4", "--timeout", "250ms");
    assertThat(kvorum.connectedTo).containsExactly("c:3", "d:4");
    assertThat(kvorum.timeout).isEqualTo(Duration.ofMillis(250));
    assertThat(kvorum.run("get", "k", "--endpoints", "nowhere")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void argumentsSurviveALocaleThatIsNotUtf8() {
    byte[] commandLine = "java\0-cp\0x\0Main\0put\0grüß\0\0".getBytes(UTF_8);
    assertThat(RawArguments.last(3, commandLine)).containsExactly("put", "grüß", "");
    String[] plain = {"put", "k"};
    assertThat(RawArguments.recover(plain, "ANSI_X3.4-1968")).isSameAs(plain);
  }

  private void fill(String... keys) {
    for (String key : keys) {
      kvorum.client.put(Bytes.utf8(key), Bytes.utf8(key)).join();
    }
  }

  private static String[] numbered(int count) {
    String[] keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = "key" + (100 + i);
    }
    return keys;
  }

  private static List<String> reversed(String[] keys) {
    List<String> list = new ArrayList<>(List.of(keys));
    Collections.reverse(list);
    return list;
  }
}
