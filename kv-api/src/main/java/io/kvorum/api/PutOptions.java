package io.kvorum.api;

/**
 * How to put.
 *
 * @param previous whether the answer carries what the key held before
 * @param keepValue the value stays as it is, and only the lease changes: the key must exist, and
 *     the value given be empty
 * @param lease that the key hangs on from now on; 0: none
 * @param keepLease the key stays on the lease it hangs on: the key must exist, and {@code lease} be
 *     0
 */
public record PutOptions(boolean previous, boolean keepValue, long lease, boolean keepLease) {
  public static final PutOptions DEFAULT = new PutOptions(false, false, 0, false);

  /** With what the key held before in the answer. */
  public PutOptions withPrevious() {
    return new PutOptions(true, keepValue, lease, keepLease);
  }

  /** Of a key that exists, the value stays. */
  public PutOptions withKeepValue() {
    return new PutOptions(previous, true, lease, keepLease);
  }

  public PutOptions withLease(long id) {
    return new PutOptions(previous, keepValue, id, keepLease);
  }

  /** Of a key that exists, the lease stays. */
  public PutOptions withKeepLease() {
    return new PutOptions(previous, keepValue, lease, true);
  }
}
