package io.kvorum.api;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Between the keys of a namespace and those of the store.
 *
 * @param prefix what the latter have in front; not empty
 */
record PrefixMap(Bytes prefix) {
  Bytes outer(Bytes key) {
    byte[] outer = Arrays.copyOf(prefix.arrayUnsafe(), prefix.size() + key.size());
    System.arraycopy(key.arrayUnsafe(), 0, outer, prefix.size(), key.size());
    return Bytes.wrapUnsafe(outer);
  }

  /** A range without an end ends where the namespace does (FAULTS F138). */
  KeyRange outer(KeyRange range) {
    Bytes end = range.to();
    return new KeyRange(
        outer(range.from()), end == null ? KeyRange.prefix(prefix).to() : outer(end));
  }

  Txn outer(Txn txn) {
    return new Txn(
        txn.compares().stream().map(this::outer).toList(),
        txn.success().stream().map(this::outer).toList(),
        txn.failure().stream().map(this::outer).toList());
  }

  private Compare outer(Compare compare) {
    return new Compare(
        outer(compare.range()),
        compare.target(),
        compare.relation(),
        compare.number(),
        compare.value());
  }

  private Op outer(Op op) {
    if (op instanceof Op.Put put) {
      return Op.put(outer(put.key()), put.value(), put.options());
    } else if (op instanceof Op.DeleteRange delete) {
      return Op.deleteRange(outer(delete.range()), delete.options());
    } else if (op instanceof Op.Range range) {
      return Op.range(outer(range.range()), range.options());
    } else if (op instanceof Op.Add add) {
      return Op.add(outer(add.key()), add.delta());
    } else if (op instanceof Op.Append append) {
      return Op.append(outer(append.key()), append.suffix());
    } else if (op instanceof Op.Nested nested) {
      return Op.txn(outer(nested.txn()));
    }
    throw new AssertionError("unknown operation " + op);
  }

  /** A key that the store has answered with, which is ours. */
  Bytes inner(Bytes key) {
    if (!key.startsWith(prefix)) {
      throw new AssertionError(key + " does not start with " + prefix);
    }
    byte[] outer = key.arrayUnsafe();
    return Bytes.wrapUnsafe(Arrays.copyOfRange(outer, prefix.size(), outer.length));
  }

  KeyValue inner(KeyValue held) {
    return new KeyValue(
        inner(held.key()),
        held.value(),
        held.createRevision(),
        held.modRevision(),
        held.version(),
        held.lease());
  }

  List<KeyValue> inner(List<KeyValue> all) {
    return all.stream().map(this::inner).toList();
  }

  /** Those of the keys that are ours. */
  List<Bytes> innerKeys(List<Bytes> keys) {
    return keys.stream()
        .filter(key -> key.startsWith(prefix) && key.size() > prefix.size())
        .map(this::inner)
        .toList();
  }

  List<OpResult> innerResults(List<OpResult> results) {
    return results.stream().map(this::inner).toList();
  }

  private OpResult inner(OpResult result) {
    if (result instanceof OpResult.Put put) {
      return new OpResult.Put(put.previous().map(this::inner));
    } else if (result instanceof OpResult.DeleteRange delete) {
      return new OpResult.DeleteRange(delete.deleted(), inner(delete.previous()));
    } else if (result instanceof OpResult.Range range) {
      return new OpResult.Range(inner(range.keyValues()), range.more(), range.count());
    } else if (result instanceof OpResult.Nested nested) {
      return new OpResult.Nested(nested.succeeded(), innerResults(nested.results()));
    } else if (result instanceof OpResult.Add || result instanceof OpResult.Append) {
      return result;
    }
    throw new AssertionError("unknown result " + result);
  }

  private WatchEvent inner(WatchEvent event) {
    Optional<KeyValue> previous = event.previous().map(this::inner);
    return new WatchEvent(event.type(), inner(event.keyValue()), previous);
  }

  private WatchEvents inner(WatchEvents events) {
    List<WatchEvent> inner = events.events().stream().map(this::inner).toList();
    return new WatchEvents(events.revision(), inner, events.isFragment());
  }

  WatchListener inner(WatchListener listener) {
    return new WatchListener() {
      @Override
      public void events(WatchEvents events) {
        listener.events(inner(events));
      }

      @Override
      public void progress(long revision) {
        listener.progress(revision);
      }

      @Override
      public void ended(WatchEnd end) {
        listener.ended(end);
      }
    };
  }

  SnapshotListener inner(SnapshotListener listener) {
    return new SnapshotListener() {
      @Override
      public void snapshot(long revision, List<KeyValue> keyValues) {
        listener.snapshot(revision, inner(keyValues));
      }

      @Override
      public void events(WatchEvents events) {
        listener.events(inner(events));
      }

      @Override
      public void progress(long revision) {
        listener.progress(revision);
      }

      @Override
      public void ended(WatchEnd end) {
        listener.ended(end);
      }
    };
  }
}
