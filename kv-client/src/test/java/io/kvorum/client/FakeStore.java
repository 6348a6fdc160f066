package io.kvorum.client;

import io.kvorum.api.Bytes;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Header;
import io.kvorum.protocol.KeyValue;
import io.kvorum.protocol.PutResponse;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TxnResponse;
import io.kvorum.protocol.Wire;
import java.util.Map;
import java.util.TreeMap;

/** What a cluster of {@link FakeNode}s has executed. */
final class FakeStore {
  final Map<Bytes, Bytes> values = new TreeMap<>();

  /** How often a put of this value was executed; tests use each value once. */
  final Map<Bytes, Integer> puts = new TreeMap<>();

  /** How many transactions were executed. */
  int txns;

  private long revision;

  void execute(ClientFrame frame, ServerFrame.Builder answer) {
    switch (frame.getBodyCase()) {
      case PUT -> {
        Bytes value = Wire.fromProto(frame.getPut().getValue());
        values.put(Wire.fromProto(frame.getPut().getKey()), value);
        puts.merge(value, 1, Integer::sum);
        revision++;
        answer.setPut(PutResponse.getDefaultInstance());
      }
      case DELETE_RANGE -> {
        boolean removed = values.remove(Wire.fromProto(frame.getDeleteRange().getKey())) != null;
        revision += removed ? 1 : 0;
        answer.getDeleteRangeBuilder().setDeleted(removed ? 1 : 0);
      }
      case RANGE -> {
        Bytes key = Wire.fromProto(frame.getRange().getKey());
        Bytes value = values.get(key);
        answer.getRangeBuilder().setCount(value == null ? 0 : 1);
        if (value != null) {
          answer
              .getRangeBuilder()
              .addKvs(
                  KeyValue.newBuilder().setKey(Wire.toProto(key)).setValue(Wire.toProto(value)));
        }
      }
      case TXN -> {
        txns++;
        answer.setTxn(TxnResponse.newBuilder().setSucceeded(true));
      }
      default -> throw new AssertionError("no request: " + frame);
    }
    answer.setHeader(Header.newBuilder().setRevision(revision));
  }

  int executions(Bytes value) {
    return puts.getOrDefault(value, 0);
  }
}
