package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SharedPayloadsTest {
  static {
    Leaks.watch();
  }

  private final SharedPayloads payloads = new SharedPayloads(PooledByteBufAllocator.DEFAULT, 0);
  private final List<ByteBuf> handedOut = new ArrayList<>();

  private ByteBuf of(Entry... entries) {
    List<Entry> list = List.of(entries);
    ByteBuf payload = payloads.of(list, (int) AppendPayload.bytes(list));
    handedOut.add(payload);
    return payload;
  }

  @Test
  void theSameEntriesAreEncodedOnceAndEachFollowerReadsItsOwnCopyOfTheIndexes() {
    Entry entry = Peer.entry(1, 100);
    ByteBuf first = of(entry);
    ByteBuf second = of(entry);
    assertThat(payloads.encodings()).isEqualTo(1);
    first.skipBytes(10);
    assertThat(second.readerIndex()).isZero();
    assertReleased();
  }

  /** Two entries of one index and term are equal only if a bug made one of them; look twice. */
  @Test
  void entriesThatAreNotTheSameObjectsAreEncodedAgain() {
    Entry one = Peer.entry(1, 100);
    Entry other = new Entry(1, 1, one.type(), new byte[100]);
    assertThat(of(one)).isNotEqualTo(of(other));
    of(one, Peer.entry(2, 1));
    assertThat(payloads.encodings()).isEqualTo(3);
    assertReleased();
  }

  @Test
  void onlySoManyAreKept() {
    Entry first = Peer.entry(1, 100);
    of(first);
    for (int i = 0; i < SharedPayloads.KEPT_MAX; i++) {
      of(Peer.entry(i + 2, 10));
    }
    of(first);
    assertThat(payloads.encodings()).isEqualTo(SharedPayloads.KEPT_MAX + 2);
    assertReleased();
  }

  private void assertReleased() {
    payloads.clear();
    for (ByteBuf payload : handedOut) {
      assertThat(payload.refCnt()).isPositive();
      payload.release();
    }
    assertThat(handedOut).allMatch(payload -> payload.refCnt() == 0);
  }
}
