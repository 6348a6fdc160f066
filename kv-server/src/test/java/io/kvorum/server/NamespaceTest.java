package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.Codec;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.Namespace;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.api.TypedKeyValue;
import io.kvorum.api.TypedKv;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchOptions;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A namespace among neighbours that begin and end where it does. */
class NamespaceTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** It ends with 0xff, so the first key behind it is no longer than "app" is (FAULTS F138). */
  private static final Bytes PREFIX = Bytes.copyOf(new byte[] {'a', 'p', 'p', (byte) 0xff});

  private static final Bytes ONE = Bytes.utf8("1");

  @TempDir static Path directory;

  private static KvNode node;

  private BlockingKvClient store;
  private Namespace namespace;
  private BlockingKvClient kv;
  private List<KeyValue> neighbours;

  @BeforeAll
  static void start() {
    node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static Bytes bytes(String text) {
    return Bytes.utf8(text);
  }

  @BeforeEach
  void fill() {
    store = node.blocking();
    store.deleteRange(KeyRange.all());
    store.put(PREFIX, ONE);
    store.put(bytes("app"), ONE);
    store.put(bytes("apq"), ONE);
    neighbours = store.range(KeyRange.all()).keyValues();
    namespace = Namespace.of(node, PREFIX);
    kv = namespace.blocking();
  }

  private static List<Bytes> keys(List<KeyValue> all) {
    return all.stream().map(KeyValue::key).toList();
  }

  @Test
  void aNamespaceSeesItsKeysAndNoOthers() {
    Bytes last = Bytes.copyOf(new byte[] {(byte) 0xff, (byte) 0xff});
    kv.put(bytes("a"), ONE);
    kv.put(bytes("b"), bytes("2"));
    kv.put(last, ONE);
    assertThat(kv.get(bytes("b")).value()).contains(bytes("2"));
    assertThat(kv.get(bytes("b")).keyValue().orElseThrow().key()).isEqualTo(bytes("b"));
    assertThat(keys(kv.range(KeyRange.all()).keyValues()))
        .containsExactly(bytes("a"), bytes("b"), last);
    assertThat(keys(kv.range(KeyRange.from(bytes("b"))).keyValues()))
        .containsExactly(bytes("b"), last);
    assertThat(kv.range(KeyRange.prefix(last), RangeOptions.DEFAULT.withCountOnly()).count())
        .isEqualTo(1);
    assertThat(kv.put(bytes("a"), ONE, PutOptions.DEFAULT.withPrevious()).previous())
        .hasValueSatisfying(previous -> assertThat(previous.key()).isEqualTo(bytes("a")));
    assertThat(kv.delete(bytes("a"), DeleteOptions.DEFAULT.withPrevious()).previous())
        .extracting(KeyValue::key)
        .containsExactly(bytes("a"));

    assertThat(kv.deleteRange(KeyRange.all()).deleted()).isEqualTo(2);
    assertThat(store.range(KeyRange.all()).keyValues()).isEqualTo(neighbours);
  }

  @Test
  void aRangeOfPagesStaysInside() {
    for (int i = 0; i < 5; i++) {
      kv.put(bytes("k" + i), ONE);
    }
    List<Bytes> read = new ArrayList<>();
    kv.scan(KeyRange.all(), RangeOptions.DEFAULT.withLimit(2))
        .forEachRemaining(found -> read.add(found.key()));
    assertThat(read).hasSize(5).allMatch(key -> key.toUtf8().startsWith("k"));
  }

  @Test
  void theKeyThatIsThePrefixItselfIsNotOurs() {
    for (CompletableFuture<?> refused :
        List.of(
            namespace.put(Bytes.EMPTY, ONE),
            namespace.get(Bytes.EMPTY),
            namespace.delete(Bytes.EMPTY))) {
      assertThatThrownBy(refused::join).hasCauseInstanceOf(KvException.Rejected.class);
    }
  }

  @Test
  void transactionsAreOfTheNamespaceThroughAndThrough() {
    kv.put(bytes("old"), ONE);
    Txn inner =
        Txn.when(Compare.value(bytes("old")).isEqualTo(ONE)).then(Op.append(bytes("log"), ONE));
    TxnResult done =
        kv.txn(
            Txn.when(
                    Compare.version(bytes("old")).isEqualTo(1),
                    Compare.createRevision(KeyRange.all()).isGreaterThan(3))
                .then(
                    Op.put(bytes("new"), bytes("n")),
                    Op.add(bytes("count"), 5),
                    Op.txn(inner),
                    Op.range(KeyRange.all()),
                    Op.deleteRange(
                        KeyRange.single(bytes("old")), DeleteOptions.DEFAULT.withPrevious())));
    assertThat(done.succeeded()).isTrue();
    assertThat(done.results().get(1)).isEqualTo(new OpResult.Add(5));
    assertThat(done.results().get(2))
        .isEqualTo(new OpResult.Nested(true, List.of(new OpResult.Append(1))));
    assertThat(keys(((OpResult.Range) done.results().get(3)).keyValues()))
        .containsExactly(bytes("count"), bytes("log"), bytes("new"), bytes("old"));
    assertThat(keys(((OpResult.DeleteRange) done.results().get(4)).previous()))
        .containsExactly(bytes("old"));

    TxnResult failed =
        kv.txn(
            Txn.when(Compare.version(bytes("app")).isGreaterThan(0))
                .otherwise(
                    Op.put(bytes("new"), ONE, PutOptions.DEFAULT.withPrevious()),
                    Op.get(bytes("count"))));
    assertThat(failed.succeeded()).as("app is a neighbour").isFalse();
    assertThat(((OpResult.Put) failed.results().get(0)).previous())
        .hasValueSatisfying(previous -> assertThat(previous.key()).isEqualTo(bytes("new")));
    assertThat(kv.create(bytes("new"), ONE).found())
        .hasValueSatisfying(found -> assertThat(found.key()).isEqualTo(bytes("new")));
    kv.deleteRange(KeyRange.all());
    assertThat(store.range(KeyRange.all()).keyValues()).isEqualTo(neighbours);
  }

  @Test
  void watchesTellOfItsKeysOnly() {
    Queue<WatchEvent> heard = new ConcurrentLinkedQueue<>();
    Queue<Bytes> listed = new ConcurrentLinkedQueue<>();
    WatchOptions how = WatchOptions.DEFAULT.withPrevious();
    kv.put(bytes("k"), ONE);
    try (Watch watch = namespace.watch(KeyRange.all(), how, told -> heard.addAll(told.events()));
        Watch copy =
            namespace.watchWithSnapshot(
                KeyRange.all(),
                new SnapshotListener() {
                  @Override
                  public void snapshot(long revision, List<KeyValue> keyValues) {
                    listed.addAll(keys(keyValues));
                  }

                  @Override
                  public void events(WatchEvents events) {
                    events.events().forEach(event -> listed.add(event.keyValue().key()));
                  }
                })) {
      watch.started().join();
      copy.started().join();
      store.put(bytes("apq"), ONE);
      kv.put(bytes("k"), bytes("2"));
      Await.until("the change", LIMIT, () -> !heard.isEmpty() && listed.size() == 2);
    }
    assertThat(heard).hasSize(1);
    assertThat(heard.element().keyValue().key()).isEqualTo(bytes("k"));
    assertThat(heard.element().previous().orElseThrow().key()).isEqualTo(bytes("k"));
    assertThat(listed).containsOnly(bytes("k"));
  }

  @Test
  void theKeysOfALeaseAreThoseOfTheNamespace() {
    long lease = kv.leases().grant(Duration.ofMinutes(1)).id();
    kv.put(bytes("mine"), ONE, PutOptions.DEFAULT.withLease(lease));
    store.put(bytes("theirs"), ONE, PutOptions.DEFAULT.withLease(lease));
    assertThat(kv.leases().status(lease, true).keys()).containsExactly(bytes("mine"));
    assertThat(kv.leases().revoke(lease).deleted()).isEqualTo(2);
    assertThat(kv.get(bytes("mine")).value()).isEmpty();
  }

  @Test
  void namespacesNestAndCloseOnlyWhatTheyOwn() {
    Namespace inside = Namespace.of(namespace, bytes("x/"));
    inside.blocking().put(bytes("y"), ONE);
    assertThat(kv.get(bytes("x/y")).value()).contains(ONE);
    namespace.close();
    assertThat(kv.get(bytes("x/y")).value()).contains(ONE);

    KvNode owned = KvNode.start(ServerConfig.embedded(directory.resolve("owned")).build());
    Namespace.owning(owned, PREFIX).close();
    assertThatThrownBy(() -> owned.blocking().get(ONE)).isInstanceOf(KvException.Unavailable.class);
    assertThatThrownBy(() -> Namespace.of(node, Bytes.EMPTY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void typedValuesStandOnAnyClient() {
    TypedKv<Long> typed = TypedKv.of(namespace, Codec.int64());
    assertThat(typed.create("n", 41L).join()).isTrue();
    assertThat(typed.create("n", 1L).join()).isFalse();
    kv.txn(Txn.of(Op.add(bytes("n"), 1)));
    TypedKeyValue<Long> found = typed.get("n").join().orElseThrow();
    assertThat(found.value()).isEqualTo(42);
    assertThat(found.version()).isEqualTo(2);
    assertThat(typed.compareAndSet("n", found.modRevision(), 43L).join()).isTrue();
    assertThat(typed.compareAndSet("n", found.modRevision(), 44L).join()).isFalse();
    typed.put("o", -1L).join();
    assertThat(typed.list("").join())
        .extracting(each -> each.key() + "=" + each.value())
        .containsExactly("n=43", "o=-1");
    assertThat(typed.delete("o").join()).isTrue();
    assertThat(typed.delete("o").join()).isFalse();

    kv.put(bytes("o"), bytes("no number"));
    assertThatThrownBy(() -> typed.get("o").join())
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasRootCauseMessage("a number has 8 bytes, not 9");
  }
}
