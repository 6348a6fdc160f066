package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.RevisionFilter;
import io.kvorum.api.Txn;
import io.kvorum.protocol.TxnRules;
import io.kvorum.server.store.protocol.Add;
import io.kvorum.server.store.protocol.Append;
import io.kvorum.server.store.protocol.Compare;
import io.kvorum.server.store.protocol.DeleteRange;
import io.kvorum.server.store.protocol.Operation;
import io.kvorum.server.store.protocol.Put;
import io.kvorum.server.store.protocol.Range;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts between the operations of the API and those of the log (store.proto). Bytes that come
 * out of the log are copies: a row must not hold on to the entry that it came in.
 *
 * <p>What comes out of the log was accepted by a front, unless that was another version's or a
 * hostile one: what means no operation of the API throws {@link KvException.Rejected}, and is then
 * refused on every member alike.
 */
final class Operations {
  /** As in etcd, the end of a range that has none. */
  private static final ByteString NO_END = ByteString.copyFrom(new byte[] {0});

  private Operations() {}

  static io.kvorum.server.store.protocol.Txn toProto(Txn txn) {
    var message = io.kvorum.server.store.protocol.Txn.newBuilder();
    txn.compares().forEach(compare -> message.addCompare(toProto(compare)));
    txn.success().forEach(op -> message.addSuccess(toProto(op)));
    txn.failure().forEach(op -> message.addFailure(toProto(op)));
    return message.build();
  }

  private static Compare toProto(io.kvorum.api.Compare compare) {
    return Compare.newBuilder()
        .setRelation(
            switch (compare.relation()) {
              case EQUAL -> Compare.Relation.EQUAL;
              case NOT_EQUAL -> Compare.Relation.NOT_EQUAL;
              case LESS -> Compare.Relation.LESS;
              case GREATER -> Compare.Relation.GREATER;
            })
        .setTarget(
            switch (compare.target()) {
              case VERSION -> Compare.Target.VERSION;
              case CREATE_REVISION -> Compare.Target.CREATE_REVISION;
              case MOD_REVISION -> Compare.Target.MOD_REVISION;
              case VALUE -> Compare.Target.VALUE;
              case LEASE -> Compare.Target.LEASE;
            })
        .setKey(wrap(compare.range().from()))
        .setRangeEnd(rangeEnd(compare.range()))
        .setNumber(compare.number())
        .setValue(wrap(compare.value()))
        .build();
  }

  private static Operation toProto(Op op) {
    Operation.Builder message = Operation.newBuilder();
    if (op instanceof Op.Put put) {
      message.setPut(put(wrap(put.key()), wrap(put.value()), put.options()));
    } else if (op instanceof Op.DeleteRange delete) {
      message.setDeleteRange(deleteRange(delete.range(), delete.options()));
    } else if (op instanceof Op.Range range) {
      message.setRange(toProto(range));
    } else if (op instanceof Op.Add add) {
      message.setAdd(Add.newBuilder().setKey(wrap(add.key())).setDelta(add.delta()));
    } else if (op instanceof Op.Append append) {
      message.setAppend(
          Append.newBuilder().setKey(wrap(append.key())).setSuffix(wrap(append.suffix())));
    } else if (op instanceof Op.Nested nested) {
      message.setTxn(toProto(nested.txn()));
    } else {
      throw new AssertionError("no message for " + op.getClass());
    }
    return message.build();
  }

  static Put put(ByteString key, ByteString value, PutOptions options) {
    return Put.newBuilder()
        .setKey(key)
        .setValue(value)
        .setPrevKv(options.previous())
        .setLease(options.lease())
        .setIgnoreValue(options.keepValue())
        .setIgnoreLease(options.keepLease())
        .build();
  }

  static DeleteRange deleteRange(KeyRange range, DeleteOptions options) {
    return DeleteRange.newBuilder()
        .setKey(wrap(range.from()))
        .setRangeEnd(rangeEnd(range))
        .setPrevKv(options.previous())
        .build();
  }

  private static Range toProto(Op.Range read) {
    RangeOptions options = read.options();
    return Range.newBuilder()
        .setKey(wrap(read.range().from()))
        .setRangeEnd(rangeEnd(read.range()))
        .setLimit(options.limit())
        .setRevision(options.revision())
        .setReverse(options.reverse())
        .setKeysOnly(options.keysOnly() && !options.countOnly())
        .setCountOnly(options.countOnly())
        .setSortBy(
            switch (options.order().by()) {
              case KEY -> Range.SortBy.BY_KEY;
              case VERSION -> Range.SortBy.BY_VERSION;
              case CREATE_REVISION -> Range.SortBy.BY_CREATE_REVISION;
              case MOD_REVISION -> Range.SortBy.BY_MOD_REVISION;
              case VALUE -> Range.SortBy.BY_VALUE;
            })
        .setMinModRevision(options.filter().minModRevision())
        .setMaxModRevision(options.filter().maxModRevision())
        .setMinCreateRevision(options.filter().minCreateRevision())
        .setMaxCreateRevision(options.filter().maxCreateRevision())
        .setWithoutCount(!options.content().count())
        .build();
  }

  private static ByteString rangeEnd(KeyRange range) {
    Bytes to = range.to();
    if (to == null) {
      return NO_END;
    }
    return range.isSingle() ? ByteString.EMPTY : wrap(to);
  }

  private static ByteString wrap(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.arrayUnsafe());
  }

  /**
   * The transaction in the log.
   *
   * @throws KvException.Rejected if it means none, or is nested too deep
   */
  static Txn txn(io.kvorum.server.store.protocol.Txn message) {
    return txn(message, 1);
  }

  private static Txn txn(io.kvorum.server.store.protocol.Txn message, int depth) {
    if (depth > TxnRules.DEPTH_MAX) {
      throw TxnRules.tooDeep();
    }
    List<io.kvorum.api.Compare> compares = new ArrayList<>(message.getCompareCount());
    for (Compare compare : message.getCompareList()) {
      compares.add(compare(compare));
    }
    return new Txn(
        compares, ops(message.getSuccessList(), depth), ops(message.getFailureList(), depth));
  }

  private static io.kvorum.api.Compare compare(Compare compare) {
    io.kvorum.api.Compare.Target target =
        switch (compare.getTarget()) {
          case VERSION -> io.kvorum.api.Compare.Target.VERSION;
          case CREATE_REVISION -> io.kvorum.api.Compare.Target.CREATE_REVISION;
          case MOD_REVISION -> io.kvorum.api.Compare.Target.MOD_REVISION;
          case VALUE -> io.kvorum.api.Compare.Target.VALUE;
          case LEASE -> io.kvorum.api.Compare.Target.LEASE;
          case UNRECOGNIZED -> throw new AssertionError("decoding stops at what is not known");
        };
    io.kvorum.api.Compare.Relation relation =
        switch (compare.getRelation()) {
          case EQUAL -> io.kvorum.api.Compare.Relation.EQUAL;
          case NOT_EQUAL -> io.kvorum.api.Compare.Relation.NOT_EQUAL;
          case LESS -> io.kvorum.api.Compare.Relation.LESS;
          case GREATER -> io.kvorum.api.Compare.Relation.GREATER;
          case UNRECOGNIZED -> throw new AssertionError("decoding stops at what is not known");
        };
    boolean isValue = target == io.kvorum.api.Compare.Target.VALUE;
    return new io.kvorum.api.Compare(
        keyRange(compare.getKey(), compare.getRangeEnd()),
        target,
        relation,
        isValue ? 0 : compare.getNumber(),
        isValue ? bytes(compare.getValue()) : Bytes.EMPTY);
  }

  private static List<Op> ops(List<Operation> messages, int depth) {
    List<Op> ops = new ArrayList<>(messages.size());
    for (Operation message : messages) {
      ops.add(op(message, depth));
    }
    return ops;
  }

  private static Op op(Operation message, int depth) {
    return switch (message.getOpCase()) {
      case PUT -> op(message.getPut());
      case DELETE_RANGE -> op(message.getDeleteRange());
      case RANGE -> op(message.getRange());
      case TXN -> Op.txn(txn(message.getTxn(), depth + 1));
      case ADD -> Op.add(key(message.getAdd().getKey()), message.getAdd().getDelta());
      case APPEND ->
          Op.append(key(message.getAppend().getKey()), bytes(message.getAppend().getSuffix()));
      case OP_NOT_SET -> throw new AssertionError("decoding stops at what is not known");
    };
  }

  /**
   * The put in the log.
   *
   * @throws KvException.Rejected if it means none
   */
  static Op.Put op(Put put) {
    PutOptions options =
        new PutOptions(put.getPrevKv(), put.getIgnoreValue(), put.getLease(), put.getIgnoreLease());
    return new Op.Put(key(put.getKey()), bytes(put.getValue()), options);
  }

  /**
   * The delete in the log.
   *
   * @throws KvException.Rejected if it means none
   */
  static Op.DeleteRange op(DeleteRange delete) {
    return new Op.DeleteRange(
        keyRange(delete.getKey(), delete.getRangeEnd()), new DeleteOptions(delete.getPrevKv()));
  }

  private static Op.Range op(Range range) {
    boolean keys = !range.getCountOnly();
    RangeOptions options =
        new RangeOptions(
            range.getLimit(),
            range.getRevision(),
            new RangeOptions.Order(
                switch (range.getSortBy()) {
                  case BY_KEY -> RangeOptions.SortBy.KEY;
                  case BY_VERSION -> RangeOptions.SortBy.VERSION;
                  case BY_CREATE_REVISION -> RangeOptions.SortBy.CREATE_REVISION;
                  case BY_MOD_REVISION -> RangeOptions.SortBy.MOD_REVISION;
                  case BY_VALUE -> RangeOptions.SortBy.VALUE;
                  case UNRECOGNIZED ->
                      throw new AssertionError("decoding stops at what is not known");
                },
                range.getReverse()),
            new RangeOptions.Content(
                keys, keys && !range.getKeysOnly(), !keys || !range.getWithoutCount()),
            new RevisionFilter(
                range.getMinModRevision(),
                range.getMaxModRevision(),
                range.getMinCreateRevision(),
                range.getMaxCreateRevision()),
            ReadConsistency.LINEARIZABLE);
    return new Op.Range(keyRange(range.getKey(), range.getRangeEnd()), options);
  }

  private static KeyRange keyRange(ByteString start, ByteString rangeEnd) {
    Bytes from = key(start);
    if (rangeEnd.isEmpty()) {
      return KeyRange.single(from);
    }
    if (rangeEnd.equals(NO_END)) {
      return KeyRange.from(from);
    }
    Bytes to = bytes(rangeEnd);
    if (from.compareTo(to) >= 0) {
      throw new KvException.Rejected(
          Reason.INVALID_ARGUMENT,
          "reversed or empty range: from " + from + " to (exclusive) " + to);
    }
    return KeyRange.of(from, to);
  }

  private static Bytes key(ByteString key) {
    if (key.isEmpty()) {
      throw new KvException.Rejected(Reason.INVALID_ARGUMENT, "a key has at least one byte");
    }
    return bytes(key);
  }

  private static Bytes bytes(ByteString string) {
    return string.isEmpty() ? Bytes.EMPTY : Bytes.wrapUnsafe(string.toByteArray());
  }
}
