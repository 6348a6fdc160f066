package io.kvorum.client.recipes;

/**
 * What was held, or waited for, is no longer the caller's: the lease that it hung on has ended, may
 * have ended, or was given up, or somebody has deleted its key. Whoever still needs it begins anew,
 * with a new {@link Owner} unless the old one is alive.
 */
public final class OwnershipLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says why in words. */
  public OwnershipLostException(String message) {
    super(message);
  }
}
