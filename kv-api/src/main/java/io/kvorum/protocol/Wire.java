package io.kvorum.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.RevisionFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    checkKey(key);
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

  static void checkKey(ByteString key) {
    if (key.isEmpty()) {
      throw new KvException.Rejected(
          KvException.Reason.INVALID_ARGUMENT, "the key is empty; nothing was changed");
    }
  }

  /** What a request for this range carries as {@code range_end}. */
  public static ByteString rangeEnd(KeyRange range) {
    Bytes to = range.to();
    if (to == null) {
      return NO_END;
    }
    return range.isSingle() ? ByteString.EMPTY : toProto(to);
  }

  public static PutRequest putRequest(Bytes key, Bytes value, PutOptions options) {
    return PutRequest.newBuilder()
        .setKey(toProto(key))
        .setValue(toProto(value))
        .setPrevKv(options.previous())
        .setLease(options.lease())
        .setIgnoreValue(options.keepValue())
        .setIgnoreLease(options.keepLease())
        .build();
  }

  public static PutOptions options(PutRequest request) {
    return new PutOptions(
        request.getPrevKv(),
        request.getIgnoreValue(),
        request.getLease(),
        request.getIgnoreLease());
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
    RevisionFilter filter = options.filter();
    RangeRequest.Builder request =
        RangeRequest.newBuilder()
            .setKey(toProto(range.from()))
            .setRangeEnd(rangeEnd(range))
            .setLimit(options.limit())
            .setRevision(options.revision())
            .setReverse(options.reverse())
            .setKeysOnly(options.keysOnly() && !options.countOnly())
            .setCountOnly(options.countOnly())
            .setSortBy(sortBy(options.order().by()))
            .setMinModRevision(filter.minModRevision())
            .setMaxModRevision(filter.maxModRevision())
            .setMinCreateRevision(filter.minCreateRevision())
            .setMaxCreateRevision(filter.maxCreateRevision())
            .setWithoutCount(!options.content().count());
    return WireConsistency.set(request, options.consistency()).build();
  }

  private static SortBy sortBy(RangeOptions.SortBy by) {
    return switch (by) {
      case KEY -> SortBy.SORT_BY_KEY;
      case VERSION -> SortBy.SORT_BY_VERSION;
      case CREATE_REVISION -> SortBy.SORT_BY_CREATE_REVISION;
      case MOD_REVISION -> SortBy.SORT_BY_MOD_REVISION;
      case VALUE -> SortBy.SORT_BY_VALUE;
    };
  }

  /**
   * How to read a range.
   *
   * @throws KvException.Rejected if the request asks for what is not known here
   */
  public static RangeOptions options(RangeRequest request) {
    boolean keys = !request.getCountOnly();
    return new RangeOptions(
        request.getLimit(),
        request.getRevision(),
        new RangeOptions.Order(sortBy(request), request.getReverse()),
        new RangeOptions.Content(
            keys, keys && !request.getKeysOnly(), !keys || !request.getWithoutCount()),
        new RevisionFilter(
            request.getMinModRevision(),
            request.getMaxModRevision(),
            request.getMinCreateRevision(),
            request.getMaxCreateRevision()),
        WireConsistency.of(request));
  }

  private static RangeOptions.SortBy sortBy(RangeRequest request) {
    return switch (request.getSortBy()) {
      case SORT_BY_KEY -> RangeOptions.SortBy.KEY;
      case SORT_BY_VERSION -> RangeOptions.SortBy.VERSION;
      case SORT_BY_CREATE_REVISION -> RangeOptions.SortBy.CREATE_REVISION;
      case SORT_BY_MOD_REVISION -> RangeOptions.SortBy.MOD_REVISION;
      case SORT_BY_VALUE -> RangeOptions.SortBy.VALUE;
      case UNRECOGNIZED -> throw unsupported("sorting", request.getSortByValue());
    };
  }

  /** What a newer client asks for, and this server does not know. */
  static KvException.Rejected unsupported(String what, int number) {
    return new KvException.Rejected(
        KvException.Reason.UNSUPPORTED,
        "this server does not know " + what + " " + number + "; nothing was changed");
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

  static List<io.kvorum.api.KeyValue> keyValues(List<KeyValue> messages) {
    List<io.kvorum.api.KeyValue> keyValues = new ArrayList<>(messages.size());
    for (KeyValue message : messages) {
      keyValues.add(fromProto(message));
    }
    return keyValues;
  }
}
