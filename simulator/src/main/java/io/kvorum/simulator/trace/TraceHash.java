package io.kvorum.simulator.trace;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import java.util.Arrays;
import java.util.List;

/**
 * A hash of every event of a run, in order. Equal runs have equal hashes, in any JVM: it is made of
 * the events' content, never of an object's identity.
 *
 * <p>What happens by the million is hashed field by field; the rest by its text, since a record's
 * text names all that is in it.
 */
public final class TraceHash {
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private long hash = 0x6B766F72756D5349L;

  /** Adds what happened next. */
  public void add(SimEvent event) {
    number(event.atNanos());
    if (event instanceof SimEvent.Sent sent) {
      message(1, sent.messageId(), sent.envelope());
    } else if (event instanceof SimEvent.Delivered delivered) {
      message(2, delivered.messageId(), delivered.envelope());
    } else if (event instanceof SimEvent.Lost lost) {
      message(3, lost.messageId(), lost.envelope());
      text(lost.why());
    } else if (event instanceof SimEvent.LogMoved moved) {
      number(4);
      text(moved.node().name());
      id(moved.last());
      number(moved.durableIndex());
      number(moved.commitIndex());
    } else if (event instanceof SimEvent.Stored stored) {
      number(5);
      text(stored.node().name());
      number(stored.entries().size());
      stored.entries().forEach(this::digest);
    } else if (event instanceof SimEvent.Applied applied) {
      number(6);
      text(applied.node().name());
      digest(applied.entry());
      number(applied.resultHash());
      number(applied.revision());
    } else if (event instanceof SimEvent.Called called) {
      call(called);
    } else if (event instanceof SimEvent.Returned returned) {
      number(8);
      number(returned.client());
      number(returned.operation());
      outcome(returned.outcome());
    } else if (event instanceof SimEvent.Changed changed) {
      number(9);
      text(changed.node().name());
      number(changed.revision());
      changes(changed.changes());
    } else if (event instanceof SimEvent.Watched watched) {
      number(10);
      number(watched.client());
      number(watched.watch());
      signal(watched.signal());
    } else {
      text(event.toString());
    }
  }

  private void signal(WatchSignal signal) {
    if (signal instanceof WatchSignal.Heard heard) {
      number(heard.revision());
      changes(heard.changes());
    } else {
      text(signal.toString());
    }
  }

  private void changes(List<KeyChange> changes) {
    number(changes.size());
    for (KeyChange change : changes) {
      number(change.isDelete() ? 1 : 0);
      keyValues(List.of(change.now()));
      keyValues(change.previous());
    }
  }

  /** The hash of all that was added. */
  public long value() {
    return mixed(hash);
  }

  private void message(int kind, long messageId, Envelope envelope) {
    number(kind);
    number(messageId);
    text(envelope.from().name());
    text(envelope.to().name());
    number(envelope.term());
    Message message = envelope.message();
    if (message instanceof Message.AppendEntries append) {
      id(append.prev());
      number(append.entries().size());
      for (Entry entry : append.entries()) {
        number(entry.index());
        number(entry.term());
        number(entry.type().code());
        bytes(entry.payload());
      }
      number(append.commit());
      number(append.round());
    } else if (message instanceof Message.AppendEntriesResponse answer) {
      number(answer.match());
      number(answer.rejected());
      id(answer.hint() == null ? EntryId.ZERO : answer.hint());
      number(answer.hint() == null ? 0 : 1);
      number(answer.round());
    } else {
      text(message.toString());
    }
  }

  private void call(SimEvent.Called called) {
    number(7);
    number(called.client());
    number(called.operation());
    ClientOperation call = called.call();
    if (call instanceof ClientOperation.Put put) {
      number(1);
      bytes(put.key().arrayUnsafe());
      bytes(put.value().arrayUnsafe());
    } else if (call instanceof ClientOperation.Get get) {
      number(get.lease() ? 6 : 2);
      bytes(get.key().arrayUnsafe());
    } else if (call instanceof ClientOperation.StaleGet get) {
      number(7);
      bytes(get.key().arrayUnsafe());
      text(get.member().name());
      number(get.boundNanos());
    } else if (call instanceof ClientOperation.Delete delete) {
      number(3);
      bytes(delete.key().arrayUnsafe());
    } else if (call instanceof ClientOperation.DeleteRange delete) {
      number(4);
      range(delete.range());
    } else if (call instanceof ClientOperation.Range read) {
      number(5);
      range(read.range());
    } else if (call instanceof ClientOperation.Transaction transaction) {
      number(8);
      text(transaction.txn().toString());
    } else {
      throw new AssertionError("unknown operation " + call);
    }
  }

  private void outcome(ClientOutcome outcome) {
    if (outcome instanceof ClientOutcome.Done done) {
      number(1);
      number(done.revision());
      number(done.deleted());
      number(done.succeeded() == null ? 0 : done.succeeded() ? 1 : 2);
      number(done.keyValues().size());
      keyValues(done.keyValues());
    } else {
      text(outcome.toString());
    }
  }

  private void keyValues(List<KeyValue> keyValues) {
    for (KeyValue found : keyValues) {
      bytes(found.key().arrayUnsafe());
      bytes(found.value().arrayUnsafe());
      number(found.createRevision());
      number(found.modRevision());
      number(found.version());
      number(found.lease());
    }
  }

  private void range(KeyRange range) {
    bytes(range.from().arrayUnsafe());
    Bytes to = range.to();
    number(to == null ? 0 : 1);
    if (to != null) {
      bytes(to.arrayUnsafe());
    }
  }

  private void digest(EntryDigest entry) {
    number(entry.index());
    number(entry.term());
    number(entry.type().code());
    number(entry.payloadHash());
  }

  private void id(EntryId id) {
    number(id.index());
    number(id.term());
  }

  private void bytes(byte[] bytes) {
    number(bytes.length);
    number(Arrays.hashCode(bytes));
  }

  private void text(String text) {
    number(text.length());
    // Defined by the language, from the characters alone; kept by the string once asked for.
    number(text.hashCode());
  }

  private void number(long number) {
    hash = mixed(hash + number) * MULTIPLIER + 1;
  }

  /** Of SplitMix64: every bit of the argument reaches every bit of the result. */
  private static long mixed(long value) {
    long bits = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }
}
