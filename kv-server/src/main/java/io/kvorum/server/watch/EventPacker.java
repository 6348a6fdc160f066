package io.kvorum.server.watch;

import io.kvorum.api.KeyValue;
import io.kvorum.api.WatchEvent;
import io.kvorum.protocol.Event;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.WatchEventsResponse;
import io.kvorum.protocol.WatchWire;
import io.kvorum.protocol.Wire;
import io.kvorum.server.store.EventPlace;
import io.kvorum.server.store.History;
import io.kvorum.server.store.StoreEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages for one watcher of a part of the history, and moves it on.
 *
 * <p>A message ends where a revision ends. Only a single revision that is too large for one message
 * is sent in pieces, all but the last of them marked (FAULTS F121).
 */
final class EventPacker {
  /** An event that would make a larger message is sent without what was before, then that. */
  private static final int WITH_PREVIOUS_BYTES_MAX = ProtocolLimits.FRAME_BYTES_MAX - (1 << 20);

  /** What an event takes in a message beyond its own bytes: tag and length. */
  private static final int EVENT_OVERHEAD_BYTES = 6;

  private final Watcher watcher;
  private final History history;
  private final long bytesMax;
  private final List<WatchEventsResponse> messages = new ArrayList<>();

  private final List<Event> open = new ArrayList<>();
  private long openBytes;

  /** Of the revision that the newest open event belongs to; and how many before it are whole. */
  private long openRevision;

  private int wholeCount;
  private boolean isFull;

  private EventPacker(Watcher watcher, History history, int frameBytes) {
    this.watcher = watcher;
    this.history = history;
    this.bytesMax =
        watcher.unconsumedBytes == 0 ? frameBytes : Math.min(frameBytes, watcher.credit());
  }

  /**
   * Packs what the watcher wants of this part, as much as one message holds, and moves it behind
   * that. No message and no move: it lacks the credit.
   *
   * @param part read from where the watcher is
   */
  static List<WatchEventsResponse> pack(
      Watcher watcher, History.Part part, History history, int frameBytes) {
    EventPacker packer = new EventPacker(watcher, history, frameBytes);
    packer.pack(part);
    return packer.messages;
  }

  private void pack(History.Part part) {
    for (StoreEvent event : part.events()) {
      if (wants(event)) {
        add(event);
        if (isFull) {
          return;
        }
      }
    }
    finish(part.next());
  }

  private boolean wants(StoreEvent event) {
    return (event.isDelete() ? watcher.wantsDeletes : watcher.wantsPuts)
        && watcher.range.contains(event.now().key());
  }

  private void add(StoreEvent event) {
    if (event.revision() != openRevision) {
      wholeCount = open.size();
      openRevision = event.revision();
    }
    Event plain =
        WatchWire.toProto(
            event.isDelete() ? WatchEvent.Type.DELETE : WatchEvent.Type.PUT, event.now());
    Optional<KeyValue> previous =
        watcher.wantsPrevious ? history.previous(event) : Optional.empty();
    if (previous.isEmpty()) {
      add(event, plain, null);
      return;
    }
    io.kvorum.protocol.KeyValue before = Wire.toProto(previous.get());
    Event both = plain.toBuilder().setPrevKv(before).build();
    boolean fits = both.getSerializedSize() <= WITH_PREVIOUS_BYTES_MAX;
    add(event, fits ? both : plain, fits ? null : WatchWire.previousAlone(before));
  }

  /**
   * Adds an event, or ends the message before it.
   *
   * @param alone what has to follow in a message of its own
   */
  private void add(StoreEvent event, Event message, @Nullable Event alone) {
    long bytes = (long) message.getSerializedSize() + EVENT_OVERHEAD_BYTES;
    boolean mayBeTooLarge = open.isEmpty() && watcher.unconsumedBytes == 0;
    if (openBytes + bytes > bytesMax && !mayBeTooLarge) {
      isFull = true;
      if (wholeCount > 0) {
        sendWhole(event.revision() - 1);
        watcher.next = EventPlace.before(event.revision());
      } else if (!open.isEmpty()) {
        sendPiece(event.revision());
        watcher.next = new EventPlace(event.revision(), event.sub());
      }
      return;
    }
    open.add(message);
    openBytes += bytes;
    if (alone != null) {
      sendPiece(event.revision());
      open.add(alone);
      openBytes = alone.getSerializedSize();
    }
  }

  /** The part is at its end. */
  private void finish(EventPlace next) {
    boolean isWhole = next.revision() > openRevision;
    if (open.isEmpty()) {
      if (watcher.begunRevision != 0 && next.revision() > watcher.begunRevision) {
        // Nothing more of that revision was wanted. The client has to know that it is whole.
        send(next.whole(), false);
      }
      watcher.next = next;
    } else if (isWhole) {
      send(next.whole(), false);
      watcher.next = next;
    } else if (wholeCount > 0) {
      sendWhole(openRevision - 1);
      watcher.next = EventPlace.before(openRevision);
    } else {
      sendPiece(openRevision);
      watcher.next = next;
    }
  }

  /** Sends the revisions that are whole, and forgets the beginning of the one behind them. */
  private void sendWhole(long through) {
    open.subList(wholeCount, open.size()).clear();
    send(through, false);
  }

  private void sendPiece(long revision) {
    send(revision, true);
  }

  private void send(long revision, boolean isPiece) {
    WatchEventsResponse message =
        WatchEventsResponse.newBuilder()
            .addAllEvents(open)
            .setRevision(revision)
            .setFragment(isPiece)
            .build();
    messages.add(message);
    watcher.unconsumedBytes += message.getSerializedSize();
    watcher.begunRevision = isPiece ? revision : 0;
    open.clear();
    openBytes = 0;
    wholeCount = 0;
  }
}
