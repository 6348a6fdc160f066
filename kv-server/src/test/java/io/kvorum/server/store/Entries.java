package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Builds a log, with the model's results beside it. */
final class Entries {
  private final List<Entry> log = new ArrayList<>();
  private final List<ApplyResult> expected = new ArrayList<>();
  private final ModelStore model = new ModelStore();
  private long term = 1;

  /** A log of random commands; the same for the same seed. */
  static Entries random(long seed, int size) {
    Random random = new Random(seed);
    Entries entries = new Entries();
    int[] valueBytes = {0, 10, 1024, 1025, 5000};
    for (int i = 0; i < size; i++) {
      Bytes key = Script.KEYS.get(random.nextInt(Script.KEYS.size()));
      boolean previous = random.nextBoolean();
      int what = random.nextInt(20);
      if (what == 0) {
        entries.noOp(true);
      } else if (what > 15) {
        entries.txn(txn(random, key, i));
      } else if (what < 4) {
        KeyRange range = random.nextBoolean() ? KeyRange.single(key) : KeyRange.prefix(key);
        entries.delete(what == 3 ? KeyRange.from(key) : range, previous);
      } else {
        entries.put(key, valueBytes[random.nextInt(valueBytes.length)], previous);
      }
    }
    return entries;
  }

  /** Over several keys, with reads between the writes, and sometimes refused at its end. */
  private static Txn txn(Random random, Bytes key, int index) {
    Bytes other = Script.KEYS.get(random.nextInt(Script.KEYS.size()));
    Txn inner =
        Txn.when(Compare.version(KeyRange.prefix(other)).isLessThan(3))
            .then(Op.deleteRange(KeyRange.prefix(other), new DeleteOptions(true)))
            .otherwise(Op.append(other, Script.value(3, index)));
    return Txn.when(Compare.modRevision(key).isLessThan(1 + random.nextInt(40)))
        .then(Op.put(key, Script.value(random.nextInt(2000), index)), Op.range(KeyRange.all()))
        .then(Op.txn(inner), Op.range(KeyRange.all(), RangeOptions.DEFAULT.withReverse()))
        .then(random.nextInt(4) == 0 ? Op.add(Script.key('n', random.nextInt(2)), 1) : Op.get(key))
        .otherwise(
            Op.get(key, GetOptions.DEFAULT.withRevision(1 + random.nextInt(30))),
            Op.delete(key),
            Op.add(Script.key('n', 0), Long.MAX_VALUE / 3));
  }

  Entries txn(Txn txn) {
    long time = time();
    add(EntryType.COMMAND, Commands.txn(txn, time));
    expected.add(model.txn(txn, term, time));
    return this;
  }

  Entries put(Bytes key, int valueBytes, boolean previous) {
    long time = time();
    Bytes value = Script.value(valueBytes, log.size());
    add(
        EntryType.COMMAND,
        Commands.put(key, value, new PutOptions(previous, false, 0, false), time));
    expected.add(model.put(key, value, previous, term, time));
    return this;
  }

  Entries delete(KeyRange range, boolean previous) {
    long time = time();
    add(EntryType.COMMAND, Commands.deleteRange(range, new DeleteOptions(previous), time));
    expected.add(model.delete(range, previous, term, time));
    return this;
  }

  Entries noOp(boolean nextTerm) {
    term += nextTerm ? 1 : 0;
    add(EntryType.NO_OP, new byte[0]);
    expected.add(model.noOp(term));
    return this;
  }

  private void add(EntryType type, byte[] payload) {
    log.add(new Entry(log.size() + 1L, term, type, payload));
  }

  /** A clock that sometimes goes back, as one leader's may behind another's. */
  private long time() {
    return 1000 + log.size() * 37L % 20;
  }

  int size() {
    return log.size();
  }

  /** Entries behind index {@code after}, up to {@code last}. */
  List<Entry> log(long after, long last) {
    return log.subList((int) after, (int) last);
  }

  List<ApplyResult> expected(long after, long last) {
    return expected.subList((int) after, (int) last);
  }

  ModelStore model() {
    return model;
  }
}
