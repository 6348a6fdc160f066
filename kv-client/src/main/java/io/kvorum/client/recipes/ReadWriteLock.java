package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;

/**
 * A lock that either any number of readers hold, or one writer, in the order in which they asked: a
 * writer waits for all before it, a reader for the writers before it. So neither starves.
 *
 * <p>Each half is a {@link DistributedLock}, with its guarantees under pauses and partitions;
 * tokens of both grow in one order. A writer's token is higher than that of every reader and writer
 * who held the lock before, so a {@link FencingGuard} that checks both refuses those. Readers may
 * come to a guard in another order than they took their places in: let them use {@link Held#guard},
 * or a guard that only writers move on.
 *
 * <p>An owner that holds the write lock may take the read lock, and then let the write lock go. The
 * other way round two owners would wait for each other; it fails with {@link
 * IllegalStateException}.
 *
 * <p><b>Keys:</b> {@code <name>/read/<lease>}, {@code <name>/write/<lease>}; {@code
 * <name>.void/read/<lease>} and {@code <name>.void/write/<lease>}.
 */
public final class ReadWriteLock {
  private static final Bytes READ = Bytes.utf8("read/");
  private static final Bytes WRITE = Bytes.utf8("write/");

  private final DistributedLock reads;
  private final DistributedLock writes;

  private ReadWriteLock(DistributedLock reads, DistributedLock writes) {
    this.reads = reads;
    this.writes = writes;
  }

  /** The lock of this name, for this owner. */
  public static ReadWriteLock of(Owner owner, String name) {
    return of(owner, Bytes.utf8(name));
  }

  /** The lock of this name, for this owner. */
  public static ReadWriteLock of(Owner owner, Bytes name) {
    Bytes all = Lines.join(name, Lines.SLASH);
    Bytes writers = Lines.join(all, WRITE);
    Place.Keys readKeys = keys(owner, name, READ);
    Place.Keys writeKeys = keys(owner, name, WRITE);
    Line readLine = new Line.OneByOne(KeyRange.prefix(writers), writeKeys.place());
    Line writeLine = new Line.OneByOne(KeyRange.prefix(all), Bytes.EMPTY);
    Claim reads =
        owner.claim(
            readKeys.place(), () -> new Claim(owner, readKeys, readLine, Claim.Kind.REENTRANT));
    Claim writes =
        owner.claim(
            writeKeys.place(),
            () -> new Claim(owner, writeKeys, writeLine, new Claim.Kind(true, reads)));
    return new ReadWriteLock(new DistributedLock(reads), new DistributedLock(writes));
  }

  private static Place.Keys keys(Owner owner, Bytes name, Bytes half) {
    Bytes lease = Lines.hex(owner.id());
    return new Place.Keys(
        Lines.join(name, Lines.SLASH, half, lease), Lines.join(name, Lines.VOID, half, lease));
  }

  /** The half that is shared. */
  public DistributedLock readLock() {
    return reads;
  }

  /** The half that excludes all others. */
  public DistributedLock writeLock() {
    return writes;
  }
}
