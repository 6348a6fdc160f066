package io.kvorum.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class KeyTreeTest {
  /** "Aa" and "BB" have the same hash code. */
  private static final List<String> KEYS = List.of("a", "b", "c", "Aa", "BB", "AaAa", "BBBB", "");

  /** Each number is a put, or a delete of a key. */
  @Property(tries = 500)
  void isAMap(@ForAll("changes") List<Integer> changes) {
    Map<String, Held> map = new TreeMap<>();
    KeyTree tree = null;
    for (int change : changes) {
      String key = KEYS.get(change % KEYS.size());
      Held held = new Held("" + change / 16, 0, 0, 0);
      KeyTree before = tree;
      int hash = KeyTree.hash(before);
      tree = change % 3 == 0 ? KeyTree.remove(tree, key) : KeyTree.put(tree, key, held);
      assertThat(KeyTree.hash(before)).isEqualTo(hash);
      if (change % 3 == 0) {
        map.remove(key);
      } else {
        map.put(key, held);
      }
      for (String each : KEYS) {
        assertThat(KeyTree.find(tree, each)).isEqualTo(map.get(each));
      }
    }
    KeyTree same = null;
    for (Map.Entry<String, Held> entry : map.entrySet()) {
      same = KeyTree.put(same, entry.getKey(), entry.getValue());
    }
    assertThat(KeyTree.equals(tree, same)).isTrue();
    assertThat(KeyTree.hash(tree)).isEqualTo(KeyTree.hash(same));
    KeyTree other = KeyTree.put(same, "a", new Held("other", 0, 0, 0));
    assertThat(KeyTree.equals(tree, other)).isFalse();
  }

  @Provide
  Arbitrary<List<Integer>> changes() {
    return Arbitraries.integers().between(0, 63).list().ofMaxSize(40);
  }
}
