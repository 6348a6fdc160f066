package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import java.util.Arrays;

/** The keys of lines. */
final class Lines {
  static final Bytes SLASH = Bytes.utf8("/");
  static final Bytes VOID = Bytes.utf8(".void/");

  private Lines() {}

  /** Where one owner at a time has its turn: locks, elections. */
  static Claim exclusive(Owner owner, Bytes name, Claim.Kind kind) {
    Bytes prefix = join(name, SLASH);
    Bytes key = join(prefix, hex(owner.id()));
    Bytes marker = join(name, VOID, hex(owner.id()));
    return owner.claim(
        key,
        () ->
            new Claim(
                owner,
                new Place.Keys(key, marker),
                new Line.OneByOne(KeyRange.prefix(prefix), Bytes.EMPTY),
                kind));
  }

  /** As etcd writes leases into keys. */
  static Bytes hex(long lease) {
    return Bytes.utf8(Long.toHexString(lease));
  }

  static Bytes join(Bytes... parts) {
    int size = Arrays.stream(parts).mapToInt(Bytes::size).sum();
    byte[] all = new byte[size];
    int at = 0;
    for (Bytes part : parts) {
      System.arraycopy(part.arrayUnsafe(), 0, all, at, part.size());
      at += part.size();
    }
    return Bytes.wrapUnsafe(all);
  }
}
