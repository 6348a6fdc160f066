package io.kvorum.api;

import java.util.List;

/**
 * Events of one or more revisions, each of them whole, in the order in which they happened; only a
 * watch that was asked for {@linkplain WatchOptions#fragments fragments} hears of the last revision
 * in parts.
 *
 * @param revision how far the watch has come: with these, everything up to here has been delivered
 * @param isFragment whether more events of that revision follow: then it is everything before it
 */
public record WatchEvents(long revision, List<WatchEvent> events, boolean isFragment) {
  public WatchEvents {
    events = List.copyOf(events);
  }

  /** Of whole revisions. */
  public WatchEvents(long revision, List<WatchEvent> events) {
    this(revision, events, false);
  }
}
