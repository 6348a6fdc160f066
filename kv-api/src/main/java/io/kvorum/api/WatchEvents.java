package io.kvorum.api;

import java.util.List;

/**
 * Events of one or more revisions, each of them whole, in the order in which they happened.
 *
 * @param revision how far the watch has come: with these, everything up to here has been delivered
 */
public record WatchEvents(long revision, List<WatchEvent> events) {
  public WatchEvents {
    events = List.copyOf(events);
  }
}
