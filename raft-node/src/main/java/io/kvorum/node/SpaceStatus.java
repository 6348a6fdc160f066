package io.kvorum.node;

/**
 * What a node knows of the space on its disk.
 *
 * @param usableBytes when it was looked at last
 * @param reserve whether the reserve file is there
 * @param blocked whether the log waits for space: nothing more becomes durable until there is some
 */
public record SpaceStatus(SpaceState state, long usableBytes, boolean reserve, boolean blocked) {
  /** Of a node that does not watch its space. */
  public static final SpaceStatus UNWATCHED = new SpaceStatus(SpaceState.OK, 0, false, false);

  /** Whether nothing may be taken that needs space. */
  public boolean isLow() {
    return state != SpaceState.OK;
  }

  SpaceStatus withBlocked(boolean isBlocked) {
    return new SpaceStatus(state, usableBytes, reserve, isBlocked);
  }
}
