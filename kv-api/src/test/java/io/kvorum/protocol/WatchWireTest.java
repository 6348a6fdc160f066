package io.kvorum.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bytes of watches on the wire: clients and servers of other versions speak them. */
class WatchWireTest {
  private static final KeyValue NOW = new KeyValue(Bytes.utf8("k"), Bytes.utf8("new"), 5, 7, 2, 0);
  private static final KeyValue BEFORE =
      new KeyValue(Bytes.utf8("k"), Bytes.utf8("old"), 5, 5, 1, 0);

  private static String hex(com.google.protobuf.Message message) {
    return HexFormat.of().formatHex(message.toByteArray());
  }

  @Test
  void theRequestIsPinned() {
    WatchOptions options = WatchOptions.DEFAULT.withPrevious().withoutDeletes();
    WatchCreateRequest create =
        WatchWire.request(KeyRange.prefix(Bytes.utf8("a")), options, 9, 1 << 20);
    assertThat(hex(ClientFrame.newBuilder().setId(3).setWatchCreate(create).build()))
        .isEqualTo("08034a100a0161120162180920013001" + "38808040");
    WatchCreditRequest credit = WatchCreditRequest.newBuilder().setBytes(300).build();
    assertThat(hex(ClientFrame.newBuilder().setId(3).setWatchCredit(credit).build()))
        .isEqualTo("0803520308ac02");
    assertThat(
            hex(
                ClientFrame.newBuilder()
                    .setId(3)
                    .setWatchCancel(WatchCancelRequest.getDefaultInstance())
                    .build()))
        .isEqualTo("08035a00");
    assertThat(
            hex(
                ClientFrame.newBuilder()
                    .setId(4)
                    .setWatchProgress(WatchProgressRequest.getDefaultInstance())
                    .build()))
        .isEqualTo("08046200");
  }

  @Test
  void eventsArePinned() {
    Event put =
        WatchWire.toProto(WatchEvent.Type.PUT, NOW).toBuilder()
            .setPrevKv(Wire.toProto(BEFORE))
            .build();
    WatchEventsResponse events =
        WatchEventsResponse.newBuilder().addEvents(put).setRevision(7).build();
    assertThat(hex(ServerFrame.newBuilder().setId(3).setWatchEvents(events).build()))
        .isEqualTo(
            "08035a240a20"
                + "120e0a016b12036e6577180520072802"
                + "1a0e0a016b12036f6c64180520052801"
                + "1007");
    WatchProgressResponse progress =
        WatchProgressResponse.newBuilder().setRevision(7).addBehind(3).setHasLeader(true).build();
    assertThat(hex(ServerFrame.newBuilder().setId(4).setWatchProgress(progress).build()))
        .isEqualTo("08046a0708071201031801");
    WatchCreatedResponse created = WatchCreatedResponse.newBuilder().setStartRevision(9).build();
    assertThat(hex(ServerFrame.newBuilder().setId(3).setWatchCreated(created).build()))
        .isEqualTo("080352020809");
  }

  @Test
  void anEventComesBackAsItWas() {
    WatchEvent put = new WatchEvent(WatchEvent.Type.PUT, NOW, Optional.of(BEFORE));
    Event event =
        WatchWire.toProto(WatchEvent.Type.PUT, NOW).toBuilder()
            .setPrevKv(Wire.toProto(BEFORE))
            .build();
    assertThat(WatchWire.fromProto(event)).isEqualTo(put);
    KeyValue gone = new KeyValue(Bytes.utf8("k"), Bytes.EMPTY, 0, 8, 0, 0);
    assertThat(WatchWire.fromProto(WatchWire.toProto(WatchEvent.Type.DELETE, gone)))
        .isEqualTo(new WatchEvent(WatchEvent.Type.DELETE, gone, Optional.empty()));
    Event alone = WatchWire.previousAlone(Wire.toProto(BEFORE));
    assertThatThrownBy(() -> WatchWire.fromProto(alone))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
