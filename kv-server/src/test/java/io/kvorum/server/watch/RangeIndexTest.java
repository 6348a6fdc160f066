package io.kvorum.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class RangeIndexTest {
  /** Whoever comes and goes, a key finds exactly those whose ranges hold it. */
  @Property(tries = 200)
  void aKeyFindsThoseWhoseRangesHoldIt(@ForAll long seed) {
    Random random = new Random(seed);
    RangeIndex<Integer> index = new RangeIndex<>();
    Map<Integer, KeyRange> model = new LinkedHashMap<>();
    for (int step = 0; step < 300; step++) {
      if (model.isEmpty() || random.nextInt(3) > 0) {
        KeyRange range = range(random);
        index.add(range, step);
        model.put(step, range);
      } else {
        List<Integer> members = new ArrayList<>(model.keySet());
        int victim = members.get(random.nextInt(members.size()));
        index.remove(model.get(victim), victim);
        index.remove(model.remove(victim), victim);
      }
      Bytes key = key(random.nextInt(1_000));
      List<Integer> expected =
          model.entrySet().stream()
              .filter(one -> one.getValue().contains(key))
              .map(Map.Entry::getKey)
              .toList();
      assertThat(index.matching(key)).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(index.size()).isEqualTo(model.size());
    }
  }

  private static KeyRange range(Random random) {
    int from = random.nextInt(1_000);
    return switch (random.nextInt(5)) {
      case 0 -> KeyRange.single(key(from));
      case 1 -> KeyRange.from(key(from));
      case 2 -> KeyRange.prefix(Bytes.utf8("k" + from % 10));
      default -> KeyRange.of(key(from), key(from + 1 + random.nextInt(30)));
    };
  }

  private static Bytes key(int number) {
    return Bytes.utf8("k%04d".formatted(number));
  }
}
