package io.kvorum.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.RangeOptions;
import io.kvorum.cli.FakeClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All pages of a range are the state at one revision, whatever is written between them. */
class RangePagesTest {
  private static final int KEYS = 40;

  private final FakeClient client = new FakeClient();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void writesBetweenThePagesDoNotShow(boolean reverse) throws IOException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      put("k" + (10 + i), "old");
      expected.add(reverse ? "k" + (10 + KEYS - 1 - i) : "k" + (10 + i));
    }
    RangeOptions how = reverse ? RangeOptions.DEFAULT.withReverse() : RangeOptions.DEFAULT;
    List<String> read = new ArrayList<>();
    RangePages.End end =
        new RangePages(client)
            .read(
                KeyRange.all(),
                how,
                found -> {
                  assertThat(found.value()).isEqualTo(Bytes.utf8("old"));
                  read.add(found.key().toUtf8());
                  // Everything behind us changes, goes, and is joined by more.
                  put("k" + (10 + read.size()), "new");
                  put("k" + (10 + KEYS - read.size()), "new");
                  put("k10" + read.size(), "more");
                  client.delete(Bytes.utf8("k3" + read.size() % 10)).join();
                });
    assertThat(read).isEqualTo(expected);
    assertThat(end).isEqualTo(new RangePages.End(KEYS, KEYS, false));
  }

  private void put(String key, String value) {
    client.put(Bytes.utf8(key), Bytes.utf8(value)).join();
  }
}
