package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeOptions.SortBy;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.protocol.TxnRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** txn, and the options that get has for ranges: etcdctl's notation. */
class TxnCommandTest {
  private static final Bytes A = Bytes.utf8("a");

  private final CommandLineHarness kvorum = new CommandLineHarness();

  private int txn(String text, String... options) {
    String[] arguments = new String[options.length + 1];
    arguments[0] = "txn";
    System.arraycopy(options, 0, arguments, 1, options.length);
    return kvorum.withInput(text.getBytes(UTF_8)).run(arguments);
  }

  @Test
  void theExampleOfEtcdctlIsRead() {
    assertThat(
            txn(
                """
                mod("key1") > "0"

                put key1 "overwrote-key1"

                put key1 "created-key1"
                put key2 "some extra key"
                """))
        .isZero();
    assertThat(kvorum.client.lastTxn)
        .isEqualTo(
            Txn.when(Compare.modRevision(Bytes.utf8("key1")).isGreaterThan(0))
                .then(Op.put(Bytes.utf8("key1"), Bytes.utf8("overwrote-key1")))
                .otherwise(
                    Op.put(Bytes.utf8("key1"), Bytes.utf8("created-key1")),
                    Op.put(Bytes.utf8("key2"), Bytes.utf8("some extra key"))));
    assertThat(kvorum.out()).isEqualTo("SUCCESS\n");
  }

  @Test
  void everyComparisonIsRead() {
    txn(
        """
        mod("a") = "1"
        m("a") != "2"
        create("a") < "3"
        version("a") > "4"
        value("a") = "v \\"x\\" \\n\\xff"
        lease ( "a" ) = "1f"
        """);
    byte[] value = {'v', ' ', '"', 'x', '"', ' ', '\n', (byte) 0xff};
    assertThat(kvorum.client.lastTxn.compares())
        .containsExactly(
            Compare.modRevision(A).isEqualTo(1),
            Compare.modRevision(A).isNotEqualTo(2),
            Compare.createRevision(A).isLessThan(3),
            Compare.version(A).isGreaterThan(4),
            Compare.value(A).isEqualTo(Bytes.copyOf(value)),
            Compare.lease(A).isEqualTo(31));
  }

  @Test
  void everyOperationIsRead() {
    txn(
        """

        put a 'it''s' --prev-kv
        put b --ignore-value --lease 1f
        get a
        get a z --limit 3 --rev 7 --sort-by modify --order descend
        get a --prefix --keys-only --min-mod-rev 2
        get '' --from-key --count-only
        del a --prefix --prev-kv
        add n -3
        append "\\x80" "grüß"
        """
            .replace("''s", "s"));
    RangeOptions sorted =
        RangeOptions.DEFAULT
            .withLimit(3)
            .withRevision(7)
            .withSort(SortBy.MOD_REVISION)
            .withReverse();
    RevisionFilter since = RevisionFilter.NONE.withMinModRevision(2);
    assertThat(kvorum.client.lastTxn.success())
        .containsExactly(
            Op.put(A, Bytes.utf8("its"), PutOptions.DEFAULT.withPrevious()),
            Op.put(Bytes.utf8("b"), Bytes.EMPTY, PutOptions.DEFAULT.withKeepValue().withLease(31)),
            Op.get(A),
            Op.range(KeyRange.of(A, Bytes.utf8("z")), sorted),
            Op.range(KeyRange.prefix(A), RangeOptions.DEFAULT.withKeysOnly().withFilter(since)),
            Op.range(KeyRange.all(), RangeOptions.DEFAULT.withCountOnly()),
            Op.deleteRange(KeyRange.prefix(A), new DeleteOptions(true)),
            Op.add(Bytes.utf8("n"), -3),
            Op.append(Bytes.copyOf(new byte[] {(byte) 0x80}), Bytes.utf8("grüß")));
  }

  @Test
  void aWordMayBeLong() {
    String text = "x\\n".repeat(500_000);
    Bytes value = Bytes.utf8("x\n".repeat(500_000));
    assertThat(txn("value(\"a\") = \"" + text + "\"\n\nput a \"" + text + "\"\n")).isZero();
    assertThat(kvorum.client.lastTxn)
        .isEqualTo(Txn.when(Compare.value(A).isEqualTo(value)).then(Op.put(A, value)).otherwise());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mod(a) = 0| line 1: no comparison",
        "size(\"a\") = \"0\"| line 1: cannot compare size",
        "mod(\"a\") = \"x\"| line 1: no number: x; a decimal number",
        "lease(\"a\") = \"zz\"| line 1: no number: zz; up to 16 hexadecimal digits",
        "value(\"a\") = \"\\xZZ\"| line 1: \\x takes two hexadecimal digits",
        "value(\"a\") = \"\\x+f\"| line 1: \\x takes two hexadecimal digits",
        "value(\"a\") = \"\\xf\"| line 1: \\x takes two hexadecimal digits",
        ";put a b --lease zz| line 2: put: --lease is up to 16 hexadecimal digits",
        "mod(\"\") = \"0\"| line 1: a range starts at a key",
        ";put a| line 2: put: the value is missing",
        ";put a b c| line 2: put: Unmatched argument",
        ";frob a| line 2: no operation frob",
        ";get a --prefx| line 2: get: ",
        ";get b a| line 2: get: reversed",
        ";put \"a b| line 2: a quote is not closed",
        ";put '' v| line 2: the key is empty",
        ";;;get a| line 4: nothing follows",
      })
  void whatIsWrongIsSaidWithItsLineAndNothingIsSent(String text, String message) {
    kvorum.client.lastTxn = Txn.of(Op.get(A));
    assertThat(txn(text.replace(";", "\n"))).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains(message);
    assertThat(kvorum.client.lastTxn).as("not sent").isEqualTo(Txn.of(Op.get(A)));
  }

  /** A decoder's replacement character would name another key. */
  @Test
  void bytesThatAreNotUtf8AreRefused(@TempDir Path directory) throws IOException {
    kvorum.client.lastTxn = Txn.of(Op.get(A));
    byte[] text = "\nput a b\nput k? v\n".getBytes(UTF_8);
    text[text.length - 4] = (byte) 0xff;
    Path file = Files.write(directory.resolve("txn"), text);
    assertThat(kvorum.withInput(text).run("txn")).isEqualTo(ExitCode.USAGE);
    String message = kvorum.err();
    assertThat(message).contains("line 3: it is not UTF-8");
    assertThat(kvorum.run("txn", "-f", file.toString())).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).isEqualTo(message);
    assertThat(kvorum.client.lastTxn).as("not sent").isEqualTo(Txn.of(Op.get(A)));
  }

  @Test
  void nothingIsReadPastTheMostOperations() {
    String most = "get a\n".repeat(TxnRules.OPERATIONS_MAX);
    assertThat(txn("\n" + most + "\n" + most)).isZero();
    assertThat(kvorum.client.lastTxn.failure()).hasSize(TxnRules.OPERATIONS_MAX);

    assertThat(txn("\n" + most + "get a\nnonsense\n")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("line 130: the limit", "is 128");
    assertThat(txn("mod(\"a\") = \"0\"\n".repeat(129) + "nonsense\n")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("line 129: the limit", "is 128");
  }

  @Test
  void resultsArePrintedOneAfterTheOther(@TempDir Path directory) throws IOException {
    KeyValue held = new KeyValue(A, Bytes.utf8("1"), 2, 3, 2, 0);
    kvorum.client.nextTxn =
        new TxnResult(
            new Header(4, 1, 1, 1),
            false,
            List.of(
                new OpResult.Put(Optional.of(held)),
                new OpResult.Range(List.of(held), true, 5),
                new OpResult.Range(List.of(), false, 5),
                new OpResult.DeleteRange(2, List.of()),
                new OpResult.Add(-3),
                new OpResult.Append(7)));
    Path file = Files.writeString(directory.resolve("txn"), "\n\nget a\n");
    assertThat(kvorum.run("txn", "-f", file.toString())).isZero();
    assertThat(kvorum.client.lastTxn).isEqualTo(Txn.when().otherwise(Op.get(A)));
    assertThat(kvorum.out()).isEqualTo("FAILURE\nOK\na\t1\na\t1\n5\n2\n-3\n7\n");
    assertThat(kvorum.run("txn", "-f", file.toString(), "-o", "json")).isZero();
    String a =
        "{\"key\":\"a\",\"value\":\"1\",\"createRevision\":2,\"modRevision\":3,\"version\":2}";
    assertThat(kvorum.out())
        .isEqualTo(
            "{\"succeeded\":false,\"revision\":4,\"results\":["
                + "{\"op\":\"put\",\"previous\":["
                + a
                + "]},"
                + "{\"op\":\"get\",\"count\":5,\"more\":true,\"keyValues\":["
                + a
                + "]},"
                + "{\"op\":\"get\",\"count\":5,\"more\":false,\"keyValues\":[]},"
                + "{\"op\":\"del\",\"deleted\":2,\"previous\":[]},"
                + "{\"op\":\"add\",\"value\":-3},"
                + "{\"op\":\"append\",\"valueBytes\":7}]}\n");
    assertThat(kvorum.run("txn", "-f", directory.resolve("none").toString()))
        .isEqualTo(ExitCode.LOCAL);
  }

  @Test
  void aPersonIsToldWhatComesNext() {
    kvorum.onTerminal();
    txn("\n\n");
    assertThat(kvorum.err()).contains("compares:").contains("failure requests");
  }

  @Test
  void getReadsRangesInTheWaysOfEtcdctl() {
    for (String key : List.of("a", "ab", "b", "c")) {
      kvorum.run("put", key, "v" + key);
    }
    assertThat(kvorum.run("get", "a", "--prefix")).isZero();
    assertThat(kvorum.out()).isEqualTo("a\tva\nab\tvab\n");
    assertThat(kvorum.run("get", "b", "--from-key", "--keys-only")).isZero();
    assertThat(kvorum.out()).isEqualTo("b\nc\n");
    assertThat(kvorum.run("get", "a", "b", "--limit", "1")).isZero();
    assertThat(kvorum.out()).isEqualTo("a\tva\n");
    assertThat(kvorum.run("get", "", "--prefix", "--count-only")).isZero();
    assertThat(kvorum.out()).isEqualTo("4\n");
    assertThat(kvorum.run("get", "", "--prefix", "--min-mod-rev", "2", "--max-mod-rev", "3"))
        .isZero();
    assertThat(kvorum.out()).isEqualTo("ab\tvab\nb\tvb\n");
    assertThat(kvorum.run("get", "a", "--prefix", "--sort-by", "CREATE", "--order", "DESCEND"))
        .isZero();
    assertThat(kvorum.client.lastRange.order())
        .isEqualTo(new RangeOptions.Order(SortBy.CREATE_REVISION, true));
    assertThat(kvorum.run("get", "a", "b", "--prefix")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("get", "b", "a")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.run("get", "a", "--keys-only", "--count-only")).isEqualTo(ExitCode.USAGE);
  }
}
