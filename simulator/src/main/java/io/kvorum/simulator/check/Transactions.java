package io.kvorum.simulator.check;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.testkit.linearizability.KvCompare;
import io.kvorum.testkit.linearizability.KvInput;
import io.kvorum.testkit.linearizability.KvOutput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Transactions as the linearizability checker knows them. */
final class Transactions {
  private Transactions() {}

  /** What was asked for. */
  static KvInput.Txn input(Txn txn) {
    return new KvInput.Txn(
        txn.compares().stream().map(Transactions::compare).toList(),
        txn.success().stream().map(Transactions::single).toList(),
        txn.failure().stream().map(Transactions::single).toList());
  }

  private static KvCompare compare(Compare compare) {
    String key = Linearizability.text(compare.range().from());
    KvCompare.Relation relation =
        switch (compare.relation()) {
          case EQUAL -> KvCompare.Relation.EQUAL;
          case NOT_EQUAL -> KvCompare.Relation.NOT_EQUAL;
          case LESS -> KvCompare.Relation.LESS;
          case GREATER -> KvCompare.Relation.GREATER;
        };
    return switch (compare.target()) {
      case VALUE -> KvCompare.value(key, relation, Linearizability.text(compare.value()));
      case VERSION -> KvCompare.number(key, KvCompare.Field.VERSION, relation, compare.number());
      case CREATE_REVISION ->
          KvCompare.number(key, KvCompare.Field.CREATE_REVISION, relation, compare.number());
      case MOD_REVISION ->
          KvCompare.number(key, KvCompare.Field.MOD_REVISION, relation, compare.number());
      case LEASE -> throw new AssertionError("cannot be followed: " + compare);
    };
  }

  private static KvInput.Single single(Op op) {
    if (op instanceof Op.Put put) {
      return new KvInput.Put(Linearizability.text(put.key()), Linearizability.text(put.value()));
    }
    if (op instanceof Op.DeleteRange delete) {
      return new KvInput.Delete(Linearizability.text(delete.range().from()));
    }
    if (op instanceof Op.Range read) {
      return new KvInput.Get(Linearizability.text(read.range().from()));
    }
    throw new AssertionError("cannot be followed: " + op);
  }

  /** What was answered: which branch was executed, and what each of its reads found. */
  static KvOutput output(ClientOperation.Transaction transaction, ClientOutcome.Done done) {
    Map<Bytes, KeyValue> found = new HashMap<>();
    done.keyValues().forEach(each -> found.put(each.key(), each));
    List<KvOutput.Seen> seen = new ArrayList<>();
    for (Op op : transaction.branch(Boolean.TRUE.equals(done.succeeded()))) {
      if (op instanceof Op.Range read) {
        KeyValue held = found.get(read.range().from());
        seen.add(held == null ? KvOutput.Seen.ABSENT : Linearizability.seen(held));
      }
    }
    return new KvOutput(done.revision(), done.succeeded(), seen);
  }
}
