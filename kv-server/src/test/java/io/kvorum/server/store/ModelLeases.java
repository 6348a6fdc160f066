package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The leases of a {@link ModelStore}. What hangs on one is what the newest versions say. */
final class ModelLeases {
  private final NavigableMap<Long, LeaseRow> rows = new TreeMap<>();

  LeaseRow find(long id) {
    return rows.get(id);
  }

  List<Long> ids() {
    return new ArrayList<>(rows.keySet());
  }

  void put(long id, LeaseRow row) {
    rows.put(id, row);
  }

  void remove(long id) {
    rows.remove(id);
  }

  static List<Bytes> keys(long id, NavigableMap<Bytes, KeyValue> state) {
    return state.values().stream().filter(kv -> kv.lease() == id).map(KeyValue::key).toList();
  }
}
