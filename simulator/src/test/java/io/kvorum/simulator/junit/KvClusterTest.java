package io.kvorum.simulator.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import org.junit.jupiter.api.Test;

class KvClusterTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes VALUE = Bytes.utf8("value");

  @Test
  @KvCluster(nodes = 1)
  void aTestGetsAClientOfAClusterOfItsOwn(KvClient kv) {
    assertThat(kv.get(KEY).join().keyValue()).isEmpty();
    assertThat(kv.put(KEY, VALUE).join().header().revision()).isEqualTo(2);
  }

  @Test
  @KvCluster(nodes = 3)
  void whatWasPutOutlivesTheLeader(BlockingKvClient kv, InProcessCluster cluster) {
    kv.put(KEY, VALUE);
    String first = cluster.awaitLeader();
    cluster.stop(first);
    assertThat(kv.get(KEY).value()).contains(VALUE);
    assertThat(cluster.awaitLeader()).isNotEqualTo(first);

    cluster.start(first);
    assertThat(cluster.node(first).blocking().get(KEY).value()).contains(VALUE);
  }

  @Test
  @KvCluster(nodes = 1)
  void aWrongNameIsRefusedWithTheRightOnes(InProcessCluster cluster) {
    assertThatThrownBy(() -> cluster.stop("n2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("n2 is none of [n1]");
    assertThatThrownBy(() -> cluster.start("n1")).hasMessage("n1 runs already");
  }
}
