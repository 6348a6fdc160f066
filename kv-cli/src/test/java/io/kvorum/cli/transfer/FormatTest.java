package io.kvorum.cli.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written in a format is read back to the same bytes; what is malformed names its line. */
class FormatTest {
  @Property(tries = 1000)
  void whatWasWrittenIsReadBack(@ForAll Format format, @ForAll("pairs") List<KeyValuePair> pairs)
      throws IOException {
    byte[] file = write(format, pairs);
    assertThat(read(format, file)).isEqualTo(pairs);
  }

  @Property(tries = 300)
  void theJdkReadsTheSameFromOurPropertiesWhateverItsCharset(
      @ForAll("text") String key, @ForAll("text") String value) throws IOException {
    byte[] file =
        write(
            Format.PROPERTIES, List.of(new KeyValuePair(Bytes.utf8("k" + key), Bytes.utf8(value))));
    for (var charset : List.of(UTF_8, ISO_8859_1)) {
      Properties jdk = new Properties();
      jdk.load(new InputStreamReader(new ByteArrayInputStream(file), charset));
      assertThat(jdk).containsExactly(Map.entry("k" + key, value));
    }
  }

  @Property(tries = 300)
  void oursReadsTheSameAsTheJdkFromItsProperties(
      @ForAll("text") String key, @ForAll("text") String value) throws IOException {
    Properties jdk = new Properties();
    jdk.setProperty("k" + key, value);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    jdk.store(file, "a comment\nof two lines");
    assertThat(read(Format.PROPERTIES, file.toByteArray()))
        .containsExactly(new KeyValuePair(Bytes.utf8("k" + key), Bytes.utf8(value)));
  }

  @Provide
  Arbitrary<String> text() {
    return Arbitraries.strings()
        .withChars("ab \\\t\n\r\f=:#!\"',;{}\u0000\u0085\u2028\ufeffäß\ufffd")
        .withCharRange('\u0001', '\u07ff')
        .ofMaxLength(12);
  }

  @Provide
  Arbitrary<List<KeyValuePair>> pairs() {
    Arbitrary<Bytes> text = text().map(Bytes::utf8);
    Arbitrary<Bytes> astral =
        Arbitraries.of("\ud83d\ude00", "\ud83d\ude00\n", "\"", ",", "", " ").map(Bytes::utf8);
    Arbitrary<Bytes> binary =
        Arbitraries.bytes().array(byte[].class).ofMaxSize(8).map(Bytes::copyOf);
    Arbitrary<Bytes> any = Arbitraries.oneOf(text, astral, binary);
    return Combinators.combine(any.filter(key -> !key.isEmpty()), any)
        .as(KeyValuePair::new)
        .list()
        .ofMaxSize(6);
  }

  @Test
  void aFileThatSomebodyElseWroteIsRead() throws IOException {
    List<KeyValuePair> two =
        List.of(
            new KeyValuePair(Bytes.utf8("a"), Bytes.utf8("1")),
            new KeyValuePair(Bytes.utf8("b"), Bytes.utf8("")));
    assertThat(
            readText(
                Format.JSONL,
                "{\"key\":\"a\",\"value\":\"1\",\"version\":3}\r\n\n"
                    + " {\"valueBase64\":\"\", \"other\":{\"key\":[1]}, \"keyBase64\":\"Yg==\"}"))
        .isEqualTo(two);
    assertThat(readText(Format.CSV, "\ufeffvalue,key\r\n1,a\r\n\r\n\"\",b")).isEqualTo(two);
    assertThat(readText(Format.CSV, "key,value,encoding\na,1,\nYg==,,base64\n")).isEqualTo(two);
    assertThat(readText(Format.PROPERTIES, "# no\n! no \\\n  a : \\\n   1\nb")).isEqualTo(two);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "JSONL | {`` | 1 | not a JSON",
        "JSONL | {\"key\":\"a\",\"value\":\"b\"}~[1] | 2 | not a JSON object",
        "JSONL | {\"key\":\"a\",\"value\":\"b\"}~~~{\"key\":\"a\"} | 4 | needs a key and a value",
        "JSONL | {\"key\":\"a\",\"value\":5} | 1 | value is not a string",
        "JSONL | {\"key\":\"a\",\"value\":null} | 1 | value is not a string",
        "JSONL | {\"key\":\"a\",\"value\":\"b\"} {} | 1 | more than one",
        "JSONL | {\"key\":\"a\",\"key\":\"c\",\"value\":\"b\"} | 1 | uplicate",
        "JSONL | {\"key\":\"a\",\"keyBase64\":\"Yg==\",\"value\":\"b\"} | 1 | both key",
        "JSONL | {\"key\":\"a\",\"valueBase64\":\"%\"} | 1 | not base64",
        "JSONL | {\"key\":\"a\",\"value\":\"\\ud800\"} | 1 | half a surrogate pair",
        "JSONL | {\"key\":\"a\",\"value\":\"b\" | 1 | end-of-input",
        "CSV | a,b~ | 1 | the first line names the columns",
        "CSV | key,value,key~ | 1 | the first line names the columns",
        "CSV | key,value~a,b~c~ | 3 | 1 columns",
        "CSV | key,value~a,b~~c,d,e~ | 4 | 3 columns",
        "CSV | key,value,encoding~a,b,hex~ | 2 | encoding",
        "CSV | key,value,encoding~a%,b,base64~ | 2 | not base64",
        "PROPERTIES | a=b~c=\\u12~ | 2 | Malformed",
        "PROPERTIES | a=b~~#x~c=\\~\\ud800 | 4 | half a surrogate pair",
      })
  void theLineOfAMalformedRecordIsNamed(Format format, String text, int line, String problem) {
    String file = text.replace('~', '\n').replace("``", "");
    assertThatThrownBy(() -> readText(format, file))
        .isInstanceOf(MalformedRecordException.class)
        .hasMessageStartingWith("line " + line + ": ")
        .hasMessageContaining(problem.equals("not a JSON") ? "" : problem);
  }

  @Test
  void bytesThatAreNoUtf8AreMalformedInEveryFormat() {
    byte[] json = bytes("{\"key\":\"a\",\"value\":\"", 0xff, "\"}");
    byte[] csv = bytes("key,value\na,", 0xff, "\n");
    byte[] properties = bytes("a=", 0xff, "\n");
    assertThatThrownBy(() -> read(Format.JSONL, json)).isInstanceOf(MalformedRecordException.class);
    assertThatThrownBy(() -> read(Format.CSV, csv)).isInstanceOf(MalformedRecordException.class);
    assertThatThrownBy(() -> read(Format.PROPERTIES, properties))
        .isInstanceOf(MalformedRecordException.class)
        .hasMessage("line 1: not UTF-8");
  }

  @Test
  void theEndingOfTheNameTellsTheFormat() {
    assertThat(Format.ofFileName("a.b/x.JSONL")).contains(Format.JSONL);
    assertThat(Format.ofFileName("x.ndjson")).contains(Format.JSONL);
    assertThat(Format.ofFileName("x.csv")).contains(Format.CSV);
    assertThat(Format.ofFileName("application.properties")).contains(Format.PROPERTIES);
    assertThat(Format.ofFileName("csv.txt")).isEmpty();
    assertThat(Format.ofFileName("-")).isEmpty();
  }

  private static byte[] bytes(String before, int odd, String after) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(before.getBytes(UTF_8));
    out.write(odd);
    out.writeBytes(after.getBytes(UTF_8));
    return out.toByteArray();
  }

  private static byte[] write(Format format, List<KeyValuePair> pairs) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    RecordWriter writer = format.writer(file);
    for (KeyValuePair pair : pairs) {
      writer.write(pair);
    }
    writer.finish();
    return file.toByteArray();
  }

  private static List<KeyValuePair> readText(Format format, String text) throws IOException {
    return read(format, text.getBytes(UTF_8));
  }

  private static List<KeyValuePair> read(Format format, byte[] file) throws IOException {
    RecordReader reader = format.reader(new ByteArrayInputStream(file));
    List<KeyValuePair> pairs = new ArrayList<>();
    for (KeyValuePair pair = reader.next(); pair != null; pair = reader.next()) {
      pairs.add(pair);
    }
    return pairs;
  }
}
