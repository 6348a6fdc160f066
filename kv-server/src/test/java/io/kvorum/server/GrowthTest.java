package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.LeaseGrantRequest;
import io.kvorum.protocol.TxnWire;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is refused where the disk is low, and what never is. */
class GrowthTest {
  private static final Bytes KEY = Bytes.utf8("k");
  private static final Txn FREES =
      Txn.of(Op.delete(KEY), Op.deleteRange(KeyRange.prefix(KEY)), Op.get(KEY));

  private static ClientFrame frame(Txn txn) {
    return ClientFrame.newBuilder().setTxn(TxnWire.request(txn, TxnOptions.DEFAULT)).build();
  }

  private static ClientFrame grant(boolean session) {
    return ClientFrame.newBuilder()
        .setLeaseGrant(LeaseGrantRequest.newBuilder().setTtlMillis(1000).setSession(session))
        .build();
  }

  static Stream<ClientFrame> growing() {
    Compare there = Compare.version(KEY).isGreaterThan(0);
    return Stream.of(
        grant(false),
        frame(Txn.of(Op.put(KEY, KEY))),
        frame(Txn.of(Op.add(KEY, 1))),
        frame(Txn.of(Op.append(KEY, KEY))),
        frame(Txn.of(Op.delete(KEY), Op.txn(Txn.of(Op.put(KEY, KEY))))),
        frame(Txn.when(there).then(Op.delete(KEY)).otherwise(Op.put(KEY, KEY))));
  }

  static Stream<ClientFrame> free() {
    return Stream.of(grant(true), frame(FREES), frame(Txn.of(Op.txn(FREES))));
  }

  @ParameterizedTest
  @MethodSource("growing")
  void growingRequestsNeedSpace(ClientFrame request) {
    assertThat(Growth.of(request)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("free")
  void whatOnlyDeletesReadsOrOpensASessionNeedsNone(ClientFrame request) {
    assertThat(Growth.of(request)).isFalse();
  }

  /** Of the kinds that say it all. */
  @ParameterizedTest
  @EnumSource(
      value = ClientFrame.BodyCase.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"PUT", "TXN", "LEASE_GRANT", "BODY_NOT_SET"})
  void otherKindsNeverNeedSpace(ClientFrame.BodyCase kind) {
    var field = ClientFrame.getDescriptor().findFieldByNumber(kind.getNumber());
    ClientFrame.Builder frame = ClientFrame.newBuilder();
    frame.setField(field, frame.newBuilderForField(field).build());
    assertThat(Growth.of(frame.build())).isFalse();
  }

  @ParameterizedTest
  @EnumSource(value = ClientFrame.BodyCase.class, names = "PUT")
  void putNeedsSpace(ClientFrame.BodyCase kind) {
    ClientFrame.Builder frame = ClientFrame.newBuilder();
    frame.getPutBuilder();
    assertThat(frame.getBodyCase()).isEqualTo(kind);
    assertThat(Growth.of(frame.build())).isTrue();
  }
}
