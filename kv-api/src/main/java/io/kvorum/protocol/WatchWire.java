package io.kvorum.protocol;

import io.kvorum.api.KeyRange;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import java.util.Optional;

/** {@link Wire} for watches. */
public final class WatchWire {
  private WatchWire() {}

  /**
   * The request to watch.
   *
   * @param startRevision as it is now: a watch that goes on elsewhere starts later than it did
   */
  public static WatchCreateRequest request(
      KeyRange range, WatchOptions options, long startRevision, int windowBytes) {
    return WatchCreateRequest.newBuilder()
        .setKey(Wire.toProto(range.from()))
        .setRangeEnd(Wire.rangeEnd(range))
        .setStartRevision(startRevision)
        .setPrevKv(options.previous())
        .setNoPuts(!options.puts())
        .setNoDeletes(!options.deletes())
        .setWindowBytes(windowBytes)
        .build();
  }

  /** The event without what was before. */
  public static Event toProto(WatchEvent.Type type, io.kvorum.api.KeyValue keyValue) {
    return Event.newBuilder()
        .setType(type == WatchEvent.Type.PUT ? Event.Type.PUT : Event.Type.DELETE)
        .setKv(Wire.toProto(keyValue))
        .build();
  }

  /** What came before the event that precedes it, in a message of its own. */
  public static Event previousAlone(KeyValue previous) {
    return Event.newBuilder().setType(Event.Type.PREVIOUS).setPrevKv(previous).build();
  }

  /** The event; not for {@link Event.Type#PREVIOUS}. */
  public static WatchEvent fromProto(Event event) {
    WatchEvent.Type type =
        switch (event.getType()) {
          case PUT -> WatchEvent.Type.PUT;
          case DELETE -> WatchEvent.Type.DELETE;
          case PREVIOUS, UNRECOGNIZED ->
              throw new IllegalArgumentException("no event: type " + event.getTypeValue());
        };
    return new WatchEvent(
        type,
        Wire.fromProto(event.getKv()),
        event.hasPrevKv() ? Optional.of(Wire.fromProto(event.getPrevKv())) : Optional.empty());
  }
}
