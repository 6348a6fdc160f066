package io.kvorum.server.store;

import java.util.List;

/** Hears of what is applied. Called on the apply lane, which must not have to wait. */
public interface Feed {
  /** Wants to hear of nothing. */
  Feed NONE =
      new Feed() {
        @Override
        public boolean isWanted() {
          return false;
        }

        @Override
        public void applied(List<StoreEvent> events, long revision) {}

        @Override
        public void replaced(long revision) {}
      };

  /** Whether events are worth the making. */
  boolean isWanted();

  /**
   * Entries were applied, all of each; their events can be read from {@link History} too.
   *
   * @param events in order, the last of them of {@code revision}; what was not wanted is missing,
   *     at the beginning
   * @param revision of the store now
   */
  void applied(List<StoreEvent> events, long revision);

  /**
   * Another state was installed, without events; {@link History} reads it from now on.
   *
   * @param revision of the store now; never less than before
   */
  void replaced(long revision);
}
