package io.kvorum.bench.peer.zookeeper;

import io.kvorum.bench.store.ChangeListener;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Clients of ZooKeeper: one session. A read is a sync and a read behind it, both on their way at
 * once; a compare and set compares versions, the way ZooKeeper has it. Events of a watch name the
 * key and not its value.
 */
public final class ZooKeeperStores implements StoreFactory {
  private static final int SESSION_MILLIS = 30_000;
  private static final int ANY_VERSION = -1;

  @Override
  public Store open(String endpoints) throws IOException {
    return new ZooKeeperStore(new ZooKeeper(endpoints, SESSION_MILLIS, event -> {}));
  }

  /**
   * One session.
   *
   * @param versions the version that the last change of a key gave it
   */
  private record ZooKeeperStore(ZooKeeper session, Map<Key, Integer> versions) implements Store {
    ZooKeeperStore(ZooKeeper session) {
      this(session, new ConcurrentHashMap<>());
    }

    @Override
    public CompletableFuture<Void> put(Key key, byte[] value) {
      return set(key, value, ANY_VERSION)
          .exceptionallyCompose(thrown -> orCreate(key, value, thrown));
    }

    private CompletableFuture<Void> orCreate(Key key, byte[] value, Throwable thrown) {
      return thrown instanceof KeeperException.NoNodeException
          ? create(key, value)
          : CompletableFuture.failedFuture(thrown);
    }

    private CompletableFuture<Void> create(Key key, byte[] value) {
      CompletableFuture<Void> created = new CompletableFuture<>();
      session.create(
          path(key),
          value,
          ZooDefs.Ids.OPEN_ACL_UNSAFE,
          CreateMode.PERSISTENT,
          (code, path, context, name, stat) -> end(created, key, code, 0),
          null);
      return created;
    }

    private CompletableFuture<Void> set(Key key, byte[] value, int version) {
      CompletableFuture<Void> set = new CompletableFuture<>();
      session.setData(
          path(key),
          value,
          version,
          (code, path, context, stat) -> end(set, key, code, stat == null ? 0 : stat.getVersion()),
          null);
      return set;
    }

    private void end(CompletableFuture<Void> call, Key key, int code, int version) {
      if (code == 0) {
        versions.put(key, version);
        call.complete(null);
      } else {
        call.completeExceptionally(failure(code));
      }
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Key key) {
      CompletableFuture<byte @Nullable []> found = new CompletableFuture<>();
      session.sync(
          path(key),
          (code, path, context) -> {
            if (code != 0) {
              found.completeExceptionally(failure(code));
            }
          },
          null);
      session.getData(
          path(key),
          false,
          (code, path, context, data, stat) -> {
            if (code == KeeperException.Code.NONODE.intValue()) {
              found.complete(null);
            } else if (code != 0) {
              found.completeExceptionally(failure(code));
            } else {
              found.complete(data);
            }
          },
          null);
      return found;
    }

    @Override
    public CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
      CompletableFuture<Void> set = set(key, value, versions.getOrDefault(key, 0));
      CompletableFuture<Boolean> swapped = new CompletableFuture<>();
      var unused =
          set.whenComplete(
              (done, thrown) -> {
                if (thrown == null || thrown instanceof KeeperException.BadVersionException) {
                  swapped.complete(thrown == null);
                } else {
                  swapped.completeExceptionally(thrown);
                }
              });
      return swapped;
    }

    @Override
    public void watch(ChangeListener listener) throws Exception {
      session.addWatch("/", event -> tell(listener, event), AddWatchMode.PERSISTENT_RECURSIVE);
    }

    private static void tell(ChangeListener listener, WatchedEvent event) {
      if (event.getType() == Watcher.Event.EventType.NodeDataChanged) {
        listener.changed(Key.numberOf(event.getPath().substring(1)), null);
      }
    }

    private static String path(Key key) {
      return "/" + key.text();
    }

    private static KeeperException failure(int code) {
      return KeeperException.create(KeeperException.Code.get(code));
    }

    @Override
    public void close() {
      try {
        session.close();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
