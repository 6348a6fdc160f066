package io.kvorum.protocol;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts between the types of the API and the messages of the protocol, in both directions.
 *
 * <p>Keys and values are shared, not copied, wherever both sides hold whole arrays. Where a message
 * says what no API type can hold, the conversion throws {@link KvException.Rejected}, so a server
 * answers it as it stands.
 */
public final class Wire {
  /** As {@code range_end}: all keys from {@code key} on. */
  private static final ByteString NO_END = ByteString.copyFrom(new byte[] {0});

  private Wire() {}

  /** The same bytes, shared. */
  public static ByteString toProto(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.arrayUnsafe());
  }

  /** The same bytes; shared when the protobuf parser gave them an array of their own. */
  public static Bytes fromProto(ByteString bytes) {
    if (bytes.isEmpty()) {
      return Bytes.EMPTY;
    }
    WholeArray whole = new WholeArray(bytes.size());
    try {
      UnsafeByteOperations.unsafeWriteTo(bytes, whole);
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory failed", impossible);
    }
    return Bytes.wrapUnsafe(whole.array());
  }

  public static Header toProto(io.kvorum.api.Header header) {
    return Header.newBuilder()
        .setRevision(header.revision())
        .setTerm(header.term())
        .setAppliedIndex(header.appliedIndex())
        .setLogTimeMillis(header.logTimeMillis())
        .build();
  }

  public static io.kvorum.api.Header fromProto(Header header) {
    return new io.kvorum.api.Header(
        header.getRevision(),
        header.getTerm(),
        header.getAppliedIndex(),
        header.getLogTimeMillis());
  }

  public static KeyValue toProto(io.kvorum.api.KeyValue keyValue) {
    return KeyValue.newBuilder()
        .setKey(toProto(keyValue.key()))
        .setValue(toProto(keyValue.value()))
        .setCreateRevision(keyValue.createRevision())
        .setModRevision(keyValue.modRevision())
        .setVersion(keyValue.version())
        .setLease(keyValue.lease())
        .build();
  }

  public static io.kvorum.api.KeyValue fromProto(KeyValue keyValue) {
    return new io.kvorum.api.KeyValue(
        fromProto(keyValue.getKey()),
        fromProto(keyValue.getValue()),
        keyValue.getCreateRevision(),
        keyValue.getModRevision(),
        keyValue.getVersion(),
        keyValue.getLease());
  }

  /** The range that key and {@code range_end} of a request name; see client.proto. */
  public static KeyRange keyRange(ByteString key, ByteString rangeEnd) {
    if (key.isEmpty()) {
      throw new KvException.Rejected(
          KvException.Reason.INVALID_ARGUMENT, "the key is empty; nothing was changed");
    }
    Bytes from = fromProto(key);
    if (rangeEnd.isEmpty()) {
      return KeyRange.single(from);
    }
    if (rangeEnd.equals(NO_END)) {
      return KeyRange.from(from);
    }
    Bytes to = fromProto(rangeEnd);
    if (from.compareTo(to) >= 0) {
      throw new KvException.Rejected(
          KvException.Reason.INVALID_ARGUMENT,
          "reversed or empty range: from " + from + " to (exclusive) " + to);
    }
    return KeyRange.of(from, to);
  }

  /** What a request for this range carries as {@code range_end}. */
  public static ByteString rangeEnd(KeyRange range) {
    Bytes to = range.to();
    if (to == null) {
      return NO_END;
    }
    return holdsOneKey(range.from(), to) ? ByteString.EMPTY : toProto(to);
  }

  /** Nothing lies between a key and the same key with a zero byte behind it. */
  private static boolean holdsOneKey(Bytes from, Bytes to) {
    return to.size() == from.size() + 1 && to.at(from.size()) == 0 && to.startsWith(from);
  }

  public static PutRequest putRequest(Bytes key, Bytes value, PutOptions options) {
    return PutRequest.newBuilder()
        .setKey(toProto(key))
        .setValue(toProto(value))
        .setPrevKv(options.previous())
        .build();
  }

  public static PutOptions options(PutRequest request) {
    return new PutOptions(request.getPrevKv());
  }

  public static DeleteRangeRequest deleteRequest(Bytes key, DeleteOptions options) {
    return DeleteRangeRequest.newBuilder()
        .setKey(toProto(key))
        .setPrevKv(options.previous())
        .build();
  }

  public static DeleteRangeRequest deleteRequest(KeyRange range, DeleteOptions options) {
    return DeleteRangeRequest.newBuilder()
        .setKey(toProto(range.from()))
        .setRangeEnd(rangeEnd(range))
        .setPrevKv(options.previous())
        .build();
  }

  public static DeleteOptions options(DeleteRangeRequest request) {
    return new DeleteOptions(request.getPrevKv());
  }

  /** A get travels as the range of the one key. */
  public static RangeRequest getRequest(Bytes key, GetOptions options) {
    RangeRequest.Builder request =
        RangeRequest.newBuilder().setKey(toProto(key)).setRevision(options.revision());
    return WireConsistency.set(request, options.consistency()).build();
  }

  public static RangeRequest rangeRequest(KeyRange range, RangeOptions options) {
    RangeRequest.Builder request =
        RangeRequest.newBuilder()
            .setKey(toProto(range.from()))
            .setRangeEnd(rangeEnd(range))
            .setLimit(options.limit())
            .setRevision(options.revision())
            .setReverse(options.reverse())
            .setKeysOnly(options.keysOnly())
            .setCountOnly(options.countOnly());
    return WireConsistency.set(request, options.consistency()).build();
  }

  public static RangeOptions options(RangeRequest request) {
    return new RangeOptions(
        request.getLimit(),
        request.getRevision(),
        request.getReverse(),
        request.getKeysOnly(),
        request.getCountOnly(),
        WireConsistency.of(request));
  }

  public static PutResponse toProto(PutResult result) {
    PutResponse.Builder response = PutResponse.newBuilder();
    result.previous().ifPresent(previous -> response.setPrevKv(toProto(previous)));
    return response.build();
  }

  public static PutResult putResult(Header header, PutResponse response) {
    return new PutResult(
        fromProto(header),
        response.hasPrevKv() ? Optional.of(fromProto(response.getPrevKv())) : Optional.empty());
  }

  public static DeleteRangeResponse toProto(DeleteResult result) {
    DeleteRangeResponse.Builder response =
        DeleteRangeResponse.newBuilder().setDeleted(result.deleted());
    result.previous().forEach(previous -> response.addPrevKvs(toProto(previous)));
    return response.build();
  }

  public static DeleteResult deleteResult(Header header, DeleteRangeResponse response) {
    return new DeleteResult(
        fromProto(header), response.getDeleted(), keyValues(response.getPrevKvsList()));
  }

  public static RangeResponse toProto(RangeResult result) {
    RangeResponse.Builder response =
        RangeResponse.newBuilder().setMore(result.more()).setCount(result.count());
    result.keyValues().forEach(keyValue -> response.addKvs(toProto(keyValue)));
    return response.build();
  }

  public static RangeResult rangeResult(Header header, RangeResponse response) {
    return new RangeResult(
        fromProto(header),
        keyValues(response.getKvsList()),
        response.getMore(),
        response.getCount());
  }

  /** The answer to a {@link #getRequest get}. */
  public static RangeResponse toProto(GetResult result) {
    RangeResponse.Builder response = RangeResponse.newBuilder();
    result.keyValue().ifPresent(found -> response.addKvs(toProto(found)).setCount(1));
    return response.build();
  }

  /** The result of a {@link #getRequest get}. */
  public static GetResult getResult(Header header, RangeResponse response) {
    return new GetResult(
        fromProto(header),
        response.getKvsCount() == 0
            ? Optional.empty()
            : Optional.of(fromProto(response.getKvs(0))));
  }

  private static List<io.kvorum.api.KeyValue> keyValues(List<KeyValue> messages) {
    List<io.kvorum.api.KeyValue> keyValues = new ArrayList<>(messages.size());
    for (KeyValue message : messages) {
      keyValues.add(fromProto(message));
    }
    return keyValues;
  }

  /**
   * A status as it travels. Its leader has an endpoint when a member of that id has one; the
   * endpoint that was asked does not travel.
   */
  public static StatusResponse toProto(NodeStatus status) {
    StatusResponse.Builder response =
        StatusResponse.newBuilder()
            .setClusterId(status.clusterId())
            .setNodeId(status.nodeId())
            .setVersion(status.version())
            .setRole(status.role())
            .setTerm(status.term())
            .setLastIndex(status.log().last())
            .setDurableIndex(status.log().durable())
            .setCommitIndex(status.log().committed())
            .setAppliedIndex(status.log().applied())
            .setRevision(status.revision())
            .setCompactRevision(status.compactRevision())
            .setDurability(status.durability())
            .setProblem(status.problem().orElse(""));
    String leader = status.leader().orElse("");
    for (NodeStatus.Member member : status.members()) {
      response.addMembers(
          MemberStatus.newBuilder()
              .setNodeId(member.nodeId())
              .setClientEndpoint(member.endpoint())
              .setRole(MembersWire.toProto(member.role()))
              .setMatchIndex(member.matchIndex())
              .setActive(member.active()));
      if (member.nodeId().equals(leader)) {
        response.getLeaderBuilder().setEndpoint(member.endpoint());
      }
    }
    if (!leader.isEmpty()) {
      response.getLeaderBuilder().setNodeId(leader);
    }
    return response.build();
  }

  /**
   * A status as a client sees it.
   *
   * @param endpoint that was asked
   */
  public static NodeStatus nodeStatus(String endpoint, StatusResponse response) {
    String leader = response.getLeader().getNodeId();
    List<NodeStatus.Member> members = new ArrayList<>(response.getMembersCount());
    for (MemberStatus member : response.getMembersList()) {
      members.add(
          new NodeStatus.Member(
              member.getNodeId(),
              member.getClientEndpoint(),
              MembersWire.role(member.getRole()),
              member.getMatchIndex(),
              member.getActive()));
    }
    return new NodeStatus(
        endpoint,
        response.getClusterId(),
        response.getNodeId(),
        response.getVersion(),
        response.getRole(),
        response.getTerm(),
        leader.isEmpty() ? Optional.empty() : Optional.of(leader),
        new NodeStatus.LogPosition(
            response.getLastIndex(),
            response.getDurableIndex(),
            response.getCommitIndex(),
            response.getAppliedIndex()),
        response.getRevision(),
        response.getCompactRevision(),
        response.getDurability(),
        members,
        Optional.of(response.getProblem()).filter(problem -> !problem.isEmpty()));
  }

  /** The error that makes the other end throw the like of this exception. */
  public static Error toProto(KvException exception) {
    Error.Builder error = Error.newBuilder().setMessage(String.valueOf(exception.getMessage()));
    if (exception instanceof KvException.Overloaded overloaded) {
      long retryMillis = overloaded.retryAfter().toMillis();
      return error
          .setKind(Error.Kind.UNAVAILABLE)
          .setReason(Error.Reason.OVERLOADED)
          .setRetryAfterMillis((int) Math.max(0, Math.min(retryMillis, Integer.MAX_VALUE)))
          .build();
    }
    if (exception instanceof KvException.Unavailable) {
      return error.setKind(Error.Kind.UNAVAILABLE).build();
    }
    if (exception instanceof KvException.OutcomeUnknown) {
      return error.setKind(Error.Kind.OUTCOME_UNKNOWN).build();
    }
    if (exception instanceof KvException.Rejected rejected) {
      return error.setKind(Error.Kind.REJECTED).setReason(toProto(rejected.reason())).build();
    }
    throw new AssertionError("a KvException the protocol has no kind for: " + exception);
  }

  /**
   * What a caller may conclude from an error.
   *
   * <p>A kind that this version does not know leaves the outcome unknown: the only conclusion that
   * is never wrong.
   */
  public static KvException toException(Error error) {
    return switch (error.getKind()) {
      case UNAVAILABLE -> unavailable(error);
      case REJECTED -> rejected(error);
      case OUTCOME_UNKNOWN -> new KvException.OutcomeUnknown(message(error));
      case KIND_UNSPECIFIED, UNRECOGNIZED ->
          new KvException.OutcomeUnknown(
              "the server answered with an error of unknown kind "
                  + error.getKindValue()
                  + ": "
                  + message(error));
    };
  }

  private static KvException unavailable(Error error) {
    if (error.getReason() == Error.Reason.OVERLOADED) {
      // An unsigned number on the wire.
      long retryMillis = Integer.toUnsignedLong(error.getRetryAfterMillis());
      return new KvException.Overloaded(message(error), Duration.ofMillis(retryMillis));
    }
    return new KvException.Unavailable(message(error));
  }

  private static KvException rejected(Error error) {
    KvException.Reason reason = rejectionReason(error.getReason());
    if (reason == null) {
      return new KvException.Rejected(
          KvException.Reason.UNSUPPORTED,
          "rejected for reason "
              + error.getReasonValue()
              + ", which this version does not know: "
              + message(error));
    }
    return new KvException.Rejected(reason, message(error));
  }

  private static String message(Error error) {
    return error.getMessage().isEmpty() ? error.getReason().name() : error.getMessage();
  }

  /** Null: not a reason to reject, or one that only a newer version knows. */
  private static KvException.@Nullable Reason rejectionReason(Error.Reason reason) {
    return switch (reason) {
      case INVALID_ARGUMENT -> KvException.Reason.INVALID_ARGUMENT;
      case TOO_LARGE -> KvException.Reason.TOO_LARGE;
      case REVISION_COMPACTED -> KvException.Reason.REVISION_COMPACTED;
      case REVISION_IN_FUTURE -> KvException.Reason.REVISION_IN_FUTURE;
      case WRONG_CLUSTER -> KvException.Reason.WRONG_CLUSTER;
      case UNSUPPORTED -> KvException.Reason.UNSUPPORTED;
      case MEMBERS_REFUSED -> KvException.Reason.MEMBERS_REFUSED;
      case MEMBERS_CHANGED -> KvException.Reason.MEMBERS_CHANGED;
      case REASON_UNSPECIFIED,
          NOT_LEADER,
          OVERLOADED,
          SHUTTING_DOWN,
          LEADERSHIP_LOST,
          TIMED_OUT,
          UNRECOGNIZED ->
          null;
    };
  }

  private static Error.Reason toProto(KvException.Reason reason) {
    return switch (reason) {
      case INVALID_ARGUMENT -> Error.Reason.INVALID_ARGUMENT;
      case TOO_LARGE -> Error.Reason.TOO_LARGE;
      case REVISION_COMPACTED -> Error.Reason.REVISION_COMPACTED;
      case REVISION_IN_FUTURE -> Error.Reason.REVISION_IN_FUTURE;
      case WRONG_CLUSTER -> Error.Reason.WRONG_CLUSTER;
      case UNSUPPORTED -> Error.Reason.UNSUPPORTED;
      case MEMBERS_REFUSED -> Error.Reason.MEMBERS_REFUSED;
      case MEMBERS_CHANGED -> Error.Reason.MEMBERS_CHANGED;
    };
  }

  /** Takes a ByteString's own array when it is exactly the content, and copies otherwise. */
  private static final class WholeArray extends ByteOutput {
    private final int size;
    private byte @Nullable [] array;
    private int written;

    WholeArray(int size) {
      this.size = size;
    }

    byte[] array() {
      if (array == null || written != size) {
        throw new IllegalStateException("got " + written + " of " + size + " bytes");
      }
      return array;
    }

    @Override
    public void writeLazy(byte[] source, int offset, int length) {
      if (array == null && offset == 0 && length == source.length && length == size) {
        array = source;
        written = length;
      } else {
        write(source, offset, length);
      }
    }

    @Override
    public void writeLazy(ByteBuffer source) {
      write(source);
    }

    @Override
    public void write(byte value) {
      target()[written++] = value;
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      System.arraycopy(source, offset, target(), written, length);
      written += length;
    }

    @Override
    public void write(ByteBuffer source) {
      int length = source.remaining();
      source.get(target(), written, length);
      written += length;
    }

    private byte[] target() {
      byte[] existing = array;
      if (existing == null) {
        existing = new byte[size];
        array = existing;
      }
      return existing;
    }
  }
}
