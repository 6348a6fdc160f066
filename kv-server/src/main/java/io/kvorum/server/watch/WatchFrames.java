package io.kvorum.server.watch;

import io.kvorum.api.KvException;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ErrorsWire;
import io.kvorum.protocol.Header;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchCanceledResponse;
import io.kvorum.protocol.WatchCreatedResponse;
import io.kvorum.protocol.WatchEventsResponse;

/** What a client is sent of a watch. */
final class WatchFrames {
  private WatchFrames() {}

  /** It begins at {@code start}; the store is at {@code newest}. */
  static ServerFrame created(long id, long start, long newest) {
    return frame(id)
        .setHeader(Header.newBuilder().setRevision(newest))
        .setWatchCreated(WatchCreatedResponse.newBuilder().setStartRevision(start))
        .build();
  }

  static ServerFrame events(long id, WatchEventsResponse message) {
    return frame(id).setWatchEvents(message).build();
  }

  static ServerFrame canceled(long id) {
    return frame(id).setWatchCanceled(WatchCanceledResponse.getDefaultInstance()).build();
  }

  static ServerFrame error(long id, KvException why) {
    return frame(id).setError(ErrorsWire.toProto(why)).build();
  }

  /** It asked for, or has come to, what is not known any more. */
  static ServerFrame compacted(long id, long asked, long oldest) {
    String message = "revision " + asked + " is compacted, the oldest is " + oldest;
    return error(id, new KvException.Compacted(message, oldest));
  }

  /** It is to go on elsewhere. */
  static ServerFrame stopping(long id) {
    return frame(id)
        .setError(
            Error.newBuilder()
                .setKind(Error.Kind.UNAVAILABLE)
                .setReason(Error.Reason.SHUTTING_DOWN)
                .setMessage("this node is stopping"))
        .build();
  }

  private static ServerFrame.Builder frame(long id) {
    return ServerFrame.newBuilder().setId(id);
  }
}
