package io.kvorum.client.cache;

import io.kvorum.api.KvException;
import io.kvorum.api.WatchEnd;

/** Says why a cache is over whose watch has ended. */
final class Ends {
  private Ends() {}

  /** What reads fail with from now on. */
  static KvException reason(String what, WatchEnd how) {
    if (how instanceof WatchEnd.Rejected rejected) {
      return rejected.cause();
    }
    if (how instanceof WatchEnd.ClientClosed) {
      return new KvException.Unavailable(what + " has ended: its client was closed");
    }
    if (how instanceof WatchEnd.Closed) {
      return new KvException.Unavailable(what + " is closed");
    }
    throw new AssertionError("not the end of a cache: " + how);
  }
}
