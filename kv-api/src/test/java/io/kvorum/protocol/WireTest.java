package io.kvorum.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.RevisionFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class WireTest {
  private static final io.kvorum.api.Header HEADER = new io.kvorum.api.Header(1, 2, 3, 4);

  private static Bytes bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.copyOf(bytes);
  }

  @Property
  void bytesComeBack(@ForAll byte[] content) {
    Bytes bytes = Bytes.copyOf(content);
    assertThat(Wire.fromProto(Wire.toProto(bytes))).isEqualTo(bytes);
    // Pieces of a larger array, and ropes of pieces.
    ByteString copied = ByteString.copyFrom(content);
    int half = content.length / 2;
    ByteString rope = copied.substring(0, half).concat(copied.substring(half));
    assertThat(Wire.fromProto(rope)).isEqualTo(bytes);
    assertThat(Wire.fromProto(rope.concat(copied).substring(0, content.length))).isEqualTo(bytes);
  }

  @Test
  void longRopesComeBack() {
    ByteString part = ByteString.copyFrom(new byte[1_000]);
    ByteString rope = part;
    for (int i = 1; i < 50; i++) {
      rope = rope.concat(ByteString.copyFrom(new byte[] {(byte) i})).concat(part);
    }
    assertThat(Wire.fromProto(rope).toByteArray()).isEqualTo(rope.toByteArray());
  }

  @Test
  void wholeArraysAreSharedNotCopied() {
    Bytes value = bytes(1, 2, 3);
    assertThat(Wire.fromProto(Wire.toProto(value)).arrayUnsafe()).isSameAs(value.arrayUnsafe());
  }

  @Property
  void rangesComeBack(@ForAll("keys") byte[] one, @ForAll("keys") byte[] two) {
    Bytes from = Bytes.copyOf(one);
    Bytes to = Bytes.copyOf(two);
    assertComesBack(KeyRange.single(from));
    assertComesBack(KeyRange.from(from));
    assertComesBack(KeyRange.prefix(from));
    if (from.compareTo(to) < 0) {
      assertComesBack(KeyRange.of(from, to));
    }
  }

  private static void assertComesBack(KeyRange range) {
    assertThat(Wire.keyRange(Wire.toProto(range.from()), Wire.rangeEnd(range))).isEqualTo(range);
  }

  @Provide
  Arbitrary<byte[]> keys() {
    return Arbitraries.of((byte) 0, (byte) 1, (byte) 0x7f, (byte) 0x80, (byte) 0xff)
        .array(byte[].class)
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  /** The convention of etcd, byte by byte. */
  @Test
  void rangeEndsFollowTheConvention() {
    assertThat(Wire.rangeEnd(KeyRange.single(bytes(0x61)))).isEqualTo(ByteString.EMPTY);
    assertThat(Wire.rangeEnd(KeyRange.from(bytes(0x61))).toByteArray()).containsExactly(0);
    assertThat(Wire.rangeEnd(KeyRange.all()).toByteArray()).containsExactly(0);
    assertThat(Wire.rangeEnd(KeyRange.prefix(bytes(0x61))).toByteArray()).containsExactly(0x62);
    assertThat(Wire.rangeEnd(KeyRange.of(bytes(0), bytes(0, 0))).isEmpty()).isTrue();
  }

  @Test
  void requestsThatNameNoRangeAreRejected() {
    assertRejected(() -> Wire.keyRange(ByteString.EMPTY, ByteString.EMPTY), "empty");
    assertRejected(
        () -> Wire.keyRange(ByteString.copyFromUtf8("b"), ByteString.copyFromUtf8("a")),
        "reversed");
    assertRejected(
        () -> Wire.keyRange(ByteString.copyFromUtf8("b"), ByteString.copyFromUtf8("b")),
        "reversed");
  }

  private static void assertRejected(Runnable conversion, String message) {
    assertThatThrownBy(conversion::run)
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected ->
                assertThat(rejected.reason()).isEqualTo(KvException.Reason.INVALID_ARGUMENT))
        .hasMessageContaining(message);
  }

  @Property
  void optionsComeBack(@ForAll("rangeOptions") RangeOptions options) {
    RangeRequest request = Wire.rangeRequest(KeyRange.all(), options);
    assertThat(Wire.options(request)).isEqualTo(options);
  }

  @Provide
  Arbitrary<RangeOptions> rangeOptions() {
    Arbitrary<Boolean> flags = Arbitraries.of(true, false);
    Arbitrary<ReadConsistency> consistencies =
        Arbitraries.oneOf(
            Arbitraries.of(ReadConsistency.LINEARIZABLE, ReadConsistency.LEASE),
            Arbitraries.longs()
                .greaterOrEqual(0)
                .map(nanos -> ReadConsistency.boundedStaleness(Duration.ofNanos(nanos))));
    Arbitrary<RangeOptions.Order> orders =
        Combinators.combine(Arbitraries.of(RangeOptions.SortBy.values()), flags)
            .as(RangeOptions.Order::new);
    Arbitrary<RangeOptions.Content> contents =
        Arbitraries.of(
            RangeOptions.Content.ALL,
            new RangeOptions.Content(true, false, true),
            new RangeOptions.Content(true, true, false),
            new RangeOptions.Content(true, false, false),
            new RangeOptions.Content(false, false, true));
    Arbitrary<Long> longs = Arbitraries.longs();
    Arbitrary<RevisionFilter> filters =
        Combinators.combine(longs, longs, longs, longs).as(RevisionFilter::new);
    return Combinators.combine(longs, longs, orders, contents, filters, consistencies)
        .as(RangeOptions::new);
  }

  @Test
  void requestsCarryTheirArguments() {
    PutRequest put = Wire.putRequest(bytes(1), bytes(2, 3), PutOptions.DEFAULT.withPrevious());
    assertThat(Wire.fromProto(put.getKey())).isEqualTo(bytes(1));
    assertThat(Wire.fromProto(put.getValue())).isEqualTo(bytes(2, 3));
    assertThat(Wire.options(put)).isEqualTo(PutOptions.DEFAULT.withPrevious());

    DeleteRangeRequest delete = Wire.deleteRequest(bytes(1), DeleteOptions.DEFAULT);
    assertThat(Wire.keyRange(delete.getKey(), delete.getRangeEnd()))
        .isEqualTo(KeyRange.single(bytes(1)));
    assertThat(Wire.options(delete)).isEqualTo(DeleteOptions.DEFAULT);

    KeyRange range = KeyRange.prefix(bytes(1));
    DeleteRangeRequest deleteRange =
        Wire.deleteRequest(range, DeleteOptions.DEFAULT.withPrevious());
    assertThat(Wire.keyRange(deleteRange.getKey(), deleteRange.getRangeEnd())).isEqualTo(range);
    assertThat(Wire.options(deleteRange)).isEqualTo(new DeleteOptions(true));

    RangeRequest get = Wire.getRequest(bytes(1), GetOptions.DEFAULT.withRevision(7));
    assertThat(Wire.keyRange(get.getKey(), get.getRangeEnd())).isEqualTo(KeyRange.single(bytes(1)));
    assertThat(Wire.options(get)).isEqualTo(RangeOptions.DEFAULT.withRevision(7));
  }

  @Property
  void keyValuesComeBack(@ForAll("keyValues") io.kvorum.api.KeyValue keyValue)
      throws InvalidProtocolBufferException {
    KeyValue parsed = KeyValue.parseFrom(Wire.toProto(keyValue).toByteArray());
    assertThat(Wire.fromProto(parsed)).isEqualTo(keyValue);
  }

  @Property
  void resultsComeBack(@ForAll("keyValues") io.kvorum.api.KeyValue keyValue, @ForAll long count) {
    Header header = Wire.toProto(HEADER);
    assertThat(Wire.fromProto(header)).isEqualTo(HEADER);

    for (Optional<io.kvorum.api.KeyValue> found : List.of(Optional.of(keyValue), none())) {
      PutResult put = new PutResult(HEADER, found);
      assertThat(Wire.putResult(header, Wire.toProto(put))).isEqualTo(put);
      GetResult get = new GetResult(HEADER, found);
      assertThat(Wire.getResult(header, Wire.toProto(get))).isEqualTo(get);
      DeleteResult delete = new DeleteResult(HEADER, count, found.stream().toList());
      assertThat(Wire.deleteResult(header, Wire.toProto(delete))).isEqualTo(delete);
      RangeResult range =
          new RangeResult(HEADER, found.stream().toList(), found.isPresent(), count);
      assertThat(Wire.rangeResult(header, Wire.toProto(range))).isEqualTo(range);
    }
  }

  private static Optional<io.kvorum.api.KeyValue> none() {
    return Optional.empty();
  }

  @Provide
  Arbitrary<io.kvorum.api.KeyValue> keyValues() {
    Arbitrary<Bytes> content =
        Arbitraries.bytes().array(byte[].class).ofMaxSize(20).map(Bytes::copyOf);
    Arbitrary<Long> numbers = Arbitraries.longs();
    return Combinators.combine(content, content, numbers, numbers, numbers, numbers)
        .as(io.kvorum.api.KeyValue::new);
  }

  @Test
  void aStatusComesBack() {
    NodeStatus status =
        new NodeStatus(
            "h:1",
            "c",
            "n1",
            "0.1",
            "leader",
            7,
            Optional.of("n2"),
            new NodeStatus.LogPosition(4, 3, 2, 1),
            new NodeStatus.Snapshots(
                3, 100, 2, 200, new NodeStatus.Transfer(4, 5, List.of("n3")), "takes a snapshot"),
            new NodeStatus.Disk("low", 6, 5, true),
            9,
            8,
            new io.kvorum.api.SpaceUse(7, 6, 5, true),
            "sync",
            List.of(
                new NodeStatus.Member("n1", "h:1", MemberInfo.Role.VOTER, 4, true),
                new NodeStatus.Member("n2", "h:2", MemberInfo.Role.LEARNER, 3, false)),
            List.of(
                new NodeStatus.Feature("checks", true, ""),
                new NodeStatus.Feature("quota", false, "n2 is not reached")),
            Optional.of("disk"));
    StatusResponse response = StatusWire.toProto(status);
    assertThat(StatusWire.nodeStatus("h:1", response)).isEqualTo(status);
    assertThat(response.getLeader().getEndpoint()).isEqualTo("h:2");

    NodeStatus unled = StatusWire.nodeStatus("h:1", response.toBuilder().clearLeader().build());
    assertThat(unled.leader()).isEmpty();
    assertThat(StatusWire.toProto(unled).hasLeader()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(KvException.Reason.class)
  void everyReasonOfTheApiComesBack(KvException.Reason reason) {
    KvException back =
        ErrorsWire.toException(ErrorsWire.toProto(new KvException.Rejected(reason, "because")));
    assertThat(back)
        .isInstanceOfSatisfying(
            KvException.Rejected.class, rejected -> assertThat(rejected.reason()).isEqualTo(reason))
        .hasMessage("because");
  }

  /** Whatever a server combines, the caller is told no more than the kind allows. */
  @ParameterizedTest
  @EnumSource(value = Error.Reason.class, mode = Mode.EXCLUDE, names = "UNRECOGNIZED")
  void everyReasonOfTheProtocolKeepsItsKind(Error.Reason reason) {
    Error.Builder error = Error.newBuilder().setReason(reason);
    assertThat(ErrorsWire.toException(error.setKind(Error.Kind.UNAVAILABLE).build()))
        .isInstanceOf(KvException.Unavailable.class);
    assertThat(ErrorsWire.toException(error.setKind(Error.Kind.OUTCOME_UNKNOWN).build()))
        .isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(ErrorsWire.toException(error.setKind(Error.Kind.REJECTED).build()))
        .isInstanceOf(KvException.Rejected.class);
    assertThat(ErrorsWire.toException(error.setKind(Error.Kind.KIND_UNSPECIFIED).build()))
        .isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(ErrorsWire.toException(error.setKindValue(77).build()))
        .isInstanceOf(KvException.OutcomeUnknown.class)
        .hasMessageContaining("77");
  }

  @Test
  void aReasonOfANewerVersionIsNamed() {
    Error error =
        Error.newBuilder().setKind(Error.Kind.REJECTED).setReasonValue(99).setMessage("x").build();
    assertThat(ErrorsWire.toException(error))
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected -> assertThat(rejected.reason()).isEqualTo(KvException.Reason.UNSUPPORTED))
        .hasMessageContaining("99");
  }

  @Test
  void unavailableAndUnknownOutcomesComeBack() {
    KvException.Overloaded busy = new KvException.Overloaded("busy", Duration.ofMillis(250));
    assertThat(ErrorsWire.toException(ErrorsWire.toProto(busy)))
        .isInstanceOfSatisfying(
            KvException.Overloaded.class,
            back -> assertThat(back.retryAfter()).isEqualTo(Duration.ofMillis(250)));
    assertThat(ErrorsWire.toException(ErrorsWire.toProto(new KvException.Unavailable("gone"))))
        .isExactlyInstanceOf(KvException.Unavailable.class)
        .hasMessage("gone");
    assertThat(ErrorsWire.toException(ErrorsWire.toProto(new KvException.NoSpace("full"))))
        .isExactlyInstanceOf(KvException.NoSpace.class)
        .hasMessage("full");
    assertThat(ErrorsWire.toException(ErrorsWire.toProto(new KvException.OutcomeUnknown("lost"))))
        .isInstanceOf(KvException.OutcomeUnknown.class)
        .hasMessage("lost");
    assertThat(
            ErrorsWire.toProto(new KvException.Overloaded("x", Duration.ofDays(1_000)))
                .getRetryAfterMillis())
        .isEqualTo(Integer.MAX_VALUE);
  }
}
