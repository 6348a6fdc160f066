package io.kvorum.cli.demo;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Leases;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.SpaceUse;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** A cluster that is a map, and a leader that can be killed. Keeps what it is told to keep. */
final class FakeDemoCluster implements DemoCluster, KvClient {
  private static final Header HEADER = new Header(1, 1, 1, 1);

  final Map<Bytes, Bytes> store = new ConcurrentHashMap<>();

  /** Done to the store when all nodes are killed: what a broken cluster would forget. */
  Consumer<Map<Bytes, Bytes>> onBlackout = map -> {};

  /** Whether a dead leader is replaced. */
  boolean elects = true;

  private final TreeSet<String> running = new TreeSet<>();
  private String leader = "";
  private long term;
  private int unknownLeft;

  @Override
  public synchronized void start() {
    running.addAll(List.of("n1", "n2", "n3"));
    if (leader.isEmpty()) {
      elect();
    }
  }

  @Override
  public synchronized boolean serves() {
    return running.size() == 3;
  }

  @Override
  public synchronized void kill9(String node) {
    running.remove(node);
    if (node.equals(leader)) {
      unknownLeft = Demo.WRITERS;
      elect();
    }
  }

  @Override
  public synchronized void kill9All() {
    running.clear();
    leader = "";
    onBlackout.accept(store);
  }

  private void elect() {
    leader = "";
    if (elects || term == 0) {
      leader = running.last();
      term++;
    }
  }

  @Override
  public synchronized List<NodeStatus> status() {
    List<NodeStatus> all = new ArrayList<>();
    for (String node : running) {
      all.add(
          new NodeStatus(
              "",
              "c",
              node,
              "0",
              node.equals(leader) ? "leader" : "follower",
              term,
              Optional.of(leader),
              new NodeStatus.LogPosition(9, 9, 9, 9),
              NodeStatus.Snapshots.NONE,
              NodeStatus.Disk.UNWATCHED,
              9,
              0,
              SpaceUse.EMPTY,
              "sync",
              List.of(),
              List.of(),
              Optional.empty()));
    }
    return all;
  }

  @Override
  public KvClient client() {
    return this;
  }

  /** The first writes after the leader's death have unknown outcomes; every other takes effect. */
  @Override
  public synchronized CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    if (leader.isEmpty()) {
      return CompletableFuture.failedFuture(new KvException.Unavailable("no leader"));
    }
    boolean unknown = unknownLeft > 0;
    if (unknown) {
      unknownLeft--;
    }
    if (!unknown || unknownLeft % 2 == 0) {
      store.put(key, value);
    }
    return unknown
        ? CompletableFuture.failedFuture(new KvException.OutcomeUnknown("leader died"))
        : CompletableFuture.completedFuture(new PutResult(HEADER, Optional.empty()));
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    Optional<KeyValue> found =
        Optional.ofNullable(store.get(key)).map(value -> new KeyValue(key, value, 1, 1, 1, 0));
    return CompletableFuture.completedFuture(new GetResult(HEADER, found));
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    throw new UnsupportedOperationException("the demo deletes nothing");
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    throw new UnsupportedOperationException("the demo deletes nothing");
  }

  @Override
  public Leases leases() {
    throw new UnsupportedOperationException("no leases here");
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    throw new UnsupportedOperationException("nothing to compact here");
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    throw new UnsupportedOperationException("the demo makes no transactions");
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    throw new UnsupportedOperationException("the demo reads no ranges");
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    throw new UnsupportedOperationException("the demo watches nothing");
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    throw new UnsupportedOperationException("the demo watches nothing");
  }

  @Override
  public void close() {}
}
