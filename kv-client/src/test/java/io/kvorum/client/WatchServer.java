package io.kvorum.client;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException;
import io.kvorum.api.WatchEvent;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ErrorsWire;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchCreateRequest;
import io.kvorum.protocol.WatchCreatedResponse;
import io.kvorum.protocol.WatchEventsResponse;
import io.kvorum.protocol.WatchProgressResponse;
import io.kvorum.protocol.WatchWire;
import io.kvorum.protocol.Wire;
import java.util.ArrayList;
import java.util.List;

/** The watches of a {@link FakeNode}: says what the test tells it to. */
final class WatchServer {
  final List<WatchCreateRequest> creates = new ArrayList<>();
  final List<Long> cancels = new ArrayList<>();
  long credit;

  /** What progress tells; 0: nothing. */
  long progress;

  boolean hasLeader = true;
  KvException refusal;
  private FakeNetwork.FakeConnection connection;
  private long id;

  WatchServer(FakeNode node) {
    node.watches = this::received;
  }

  private void received(FakeNetwork.FakeConnection from, ClientFrame frame) {
    connection = from;
    switch (frame.getBodyCase()) {
      case WATCH_CREATE -> {
        creates.add(frame.getWatchCreate());
        id = frame.getId();
        created(frame.getWatchCreate().getStartRevision());
      }
      case WATCH_CREDIT -> credit += frame.getWatchCredit().getBytes();
      case WATCH_CANCEL -> cancels.add(frame.getId());
      case WATCH_PROGRESS ->
          from.reply(
              ServerFrame.newBuilder()
                  .setId(frame.getId())
                  .setWatchProgress(
                      WatchProgressResponse.newBuilder()
                          .setRevision(progress)
                          .setHasLeader(hasLeader))
                  .build());
      default -> throw new AssertionError("not about watches: " + frame);
    }
  }

  private void created(long start) {
    if (refusal != null) {
      error(refusal);
      return;
    }
    connection.reply(
        ServerFrame.newBuilder()
            .setId(id)
            .setWatchCreated(WatchCreatedResponse.newBuilder().setStartRevision(start))
            .build());
  }

  void error(KvException why) {
    connection.reply(ServerFrame.newBuilder().setId(id).setError(ErrorsWire.toProto(why)).build());
  }

  /** A put of key k in each of these revisions. */
  int puts(int valueBytes, long... revisions) {
    return events(valueBytes, false, revisions);
  }

  /** A piece of a revision. */
  int piece(int valueBytes, long... revisions) {
    return events(valueBytes, true, revisions);
  }

  /** A piece that is what the event before it has replaced. */
  void previousAlone(KeyValue before) {
    connection.reply(
        ServerFrame.newBuilder()
            .setId(id)
            .setWatchEvents(
                WatchEventsResponse.newBuilder()
                    .setFragment(true)
                    .addEvents(WatchWire.previousAlone(Wire.toProto(before))))
            .build());
  }

  private int events(int valueBytes, boolean isPiece, long... revisions) {
    WatchEventsResponse.Builder events = WatchEventsResponse.newBuilder().setFragment(isPiece);
    for (long revision : revisions) {
      KeyValue made =
          new KeyValue(
              FakeCluster.KEY, Bytes.utf8("v".repeat(valueBytes)), revision, revision, 1, 0);
      events.addEvents(WatchWire.toProto(WatchEvent.Type.PUT, made)).setRevision(revision);
    }
    ServerFrame frame = ServerFrame.newBuilder().setId(id).setWatchEvents(events).build();
    connection.reply(frame);
    return frame.getWatchEvents().getSerializedSize();
  }

  WatchCreateRequest lastCreate() {
    return creates.get(creates.size() - 1);
  }
}
