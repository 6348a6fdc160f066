package io.kvorum.server;

import io.kvorum.api.KeyValue;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import java.util.ArrayList;
import java.util.List;

/** Keeps what a watch tells. Thread-safe. */
final class Recorder implements WatchListener, SnapshotListener {
  private final List<WatchEvent> events = new ArrayList<>();
  private final List<List<KeyValue>> snapshots = new ArrayList<>();
  private final List<WatchEnd> ends = new ArrayList<>();
  private long through;

  @Override
  public synchronized void snapshot(long revision, List<KeyValue> keyValues) {
    snapshots.add(keyValues);
    through = revision;
  }

  @Override
  public synchronized void events(WatchEvents told) {
    events.addAll(told.events());
    through = told.revision();
  }

  @Override
  public synchronized void progress(long revision) {
    through = revision;
  }

  @Override
  public synchronized void ended(WatchEnd end) {
    ends.add(end);
  }

  synchronized List<WatchEvent> events() {
    return List.copyOf(events);
  }

  /** Values put, a deletion as "-". */
  synchronized List<String> values() {
    return events.stream()
        .map(event -> event.type() == WatchEvent.Type.PUT ? event.keyValue().value().toUtf8() : "-")
        .toList();
  }

  synchronized List<List<KeyValue>> snapshots() {
    return List.copyOf(snapshots);
  }

  synchronized List<WatchEnd> ends() {
    return List.copyOf(ends);
  }

  synchronized long through() {
    return through;
  }
}
