package io.kvorum.simulator.trace;

import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.raft.Entry;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * Events as text, one line each: milliseconds, whom it is about, and what. Messages read as in the
 * golden transcripts of the protocol.
 */
public final class TraceText {
  private TraceText() {}

  /** The line of an event, without its end. */
  public static String line(SimEvent event) {
    return String.format(
        Locale.ROOT, "%12.6f  %-4s %s", event.atNanos() / 1e6, subject(event), what(event));
  }

  /** Whom it happened to: a node, a client (c1), or the world (*). */
  public static String subject(SimEvent event) {
    if (event instanceof SimEvent.Sent sent) {
      return sent.envelope().from().name();
    } else if (event instanceof SimEvent.Delivered delivered) {
      return delivered.envelope().to().name();
    } else if (event instanceof SimEvent.Lost lost) {
      return lost.envelope().to().name();
    } else if (event instanceof SimEvent.Started started) {
      return started.node().name();
    } else if (event instanceof SimEvent.Stopped stopped) {
      return stopped.node().name();
    } else if (event instanceof SimEvent.RoleTaken taken) {
      return taken.node().name();
    } else if (event instanceof SimEvent.GroupChanged changed) {
      return changed.node().name();
    } else if (event instanceof SimEvent.LogMoved moved) {
      return moved.node().name();
    } else if (event instanceof SimEvent.Stored stored) {
      return stored.node().name();
    } else if (event instanceof SimEvent.Applied applied) {
      return applied.node().name();
    } else if (event instanceof SimEvent.StateHashed hashed) {
      return hashed.node().name();
    } else if (event instanceof SimEvent.Called called) {
      return "c" + called.client();
    } else if (event instanceof SimEvent.Returned returned) {
      return "c" + returned.client();
    } else if (event instanceof SimEvent.LeaseTold
        || event instanceof SimEvent.HistoryTold
        || event instanceof SimEvent.OnceTold) {
      return "~";
    } else if (event instanceof SimEvent.Changed changed) {
      return changed.node().name();
    } else if (event instanceof SimEvent.Watched watched) {
      return "c" + watched.client();
    } else if (event instanceof SimEvent.SnapshotTold told) {
      return told.node().name();
    } else if (event instanceof SimEvent.SpaceTold told) {
      return told.node().name();
    } else if (event instanceof SimEvent.StateTold told) {
      return told.node().name();
    } else if (event instanceof SimEvent.LogLacks told) {
      return told.node().name();
    } else if (event instanceof SimEvent.Framed framed) {
      boolean leaves = framed.news() == SimEvent.FrameNews.SENT;
      return (leaves ? framed.from() : framed.to()).name();
    } else if (event instanceof SimEvent.FaultStruck) {
      return "*";
    }
    throw new AssertionError("unknown event " + event);
  }

  /** What happened. */
  public static String what(SimEvent event) {
    if (event instanceof SimEvent.Sent sent) {
      return "sends     " + message(sent.envelope()) + " #" + sent.messageId();
    } else if (event instanceof SimEvent.Delivered delivered) {
      return "receives  " + message(delivered.envelope()) + " #" + delivered.messageId();
    } else if (event instanceof SimEvent.Lost lost) {
      return "lost      " + message(lost.envelope()) + " #" + lost.messageId() + ": " + lost.why();
    } else if (event instanceof SimEvent.Called called) {
      return "calls     " + call(called.call()) + " #" + called.operation();
    } else if (event instanceof SimEvent.Returned returned) {
      return "returns   " + outcome(returned.outcome()) + " #" + returned.operation();
    } else if (event instanceof SimEvent.FaultStruck struck) {
      return "fault     " + struck.fault();
    }
    if (event instanceof SimEvent.Watched watched) {
      return "watch     #" + watched.watch() + " " + watched.signal();
    } else if (event instanceof SimEvent.SnapshotTold told) {
      return "snapshot  " + told.news() + " " + told.last();
    } else if (event instanceof SimEvent.StateTold told) {
      return "state     is " + told.news() + (told.index() == 0 ? "" : " at " + told.index());
    } else if (event instanceof SimEvent.LogLacks told) {
      return told.lacks() ? "log lacks something" : "log is whole again";
    } else if (event instanceof SimEvent.Framed framed) {
      return frame(framed);
    }
    return ofNode(event);
  }

  private static String frame(SimEvent.Framed framed) {
    return "frame     %s %s → %s %s #%d"
        .formatted(framed.news(), framed.from(), framed.to(), framed.frame(), framed.messageId());
  }

  private static String ofNode(SimEvent event) {
    if (event instanceof SimEvent.Changed changed) {
      return "changed   revision=" + changed.revision() + " " + changed.changes();
    }
    if (event instanceof SimEvent.Started started) {
      return "starts    life=" + started.life();
    } else if (event instanceof SimEvent.Stopped stopped) {
      return "stops     " + stopped.why();
    } else if (event instanceof SimEvent.RoleTaken taken) {
      return "role      " + taken.role() + " term=" + taken.term();
    } else if (event instanceof SimEvent.GroupChanged changed) {
      return "group     " + changed.membership();
    } else if (event instanceof SimEvent.LogMoved moved) {
      return "log       last="
          + moved.last()
          + " durable="
          + moved.durableIndex()
          + " commit="
          + moved.commitIndex();
    } else if (event instanceof SimEvent.Stored stored) {
      return "stores    " + digests(stored.entries());
    } else if (event instanceof SimEvent.Applied applied) {
      return String.format(
          Locale.ROOT,
          "applies   %s revision=%d result=%016x",
          digest(applied.entry()),
          applied.revision(),
          applied.resultHash());
    } else if (event instanceof SimEvent.StateHashed hashed) {
      return String.format(
          Locale.ROOT, "state     index=%d hash=%016x", hashed.index(), hashed.hash());
    } else if (event instanceof SimEvent.LeaseTold told) {
      return String.format(
          Locale.ROOT,
          "lease     %d %s %d ms since %d",
          told.lease(),
          told.news(),
          told.millis(),
          told.since());
    } else if (event instanceof SimEvent.OnceTold told) {
      return String.format(
          Locale.ROOT,
          "once      log=%d token=%d %s %d",
          told.log(),
          told.token(),
          told.news(),
          told.place());
    } else if (event instanceof SimEvent.HistoryTold told) {
      return String.format(
          Locale.ROOT,
          "history   revision=%d %s %016x",
          told.revision(),
          told.news(),
          told.detail());
    } else if (event instanceof SimEvent.SpaceTold told) {
      return String.format(
          Locale.ROOT, "space     %s %d of %d", told.news(), told.bytes(), told.otherBytes());
    }
    throw new AssertionError("unknown event " + event);
  }

  /** A message with its sender, term and receiver. */
  public static String message(Envelope envelope) {
    return envelope.from()
        + "@"
        + envelope.term()
        + " → "
        + envelope.to()
        + " "
        + message(envelope.message());
  }

  private static String message(Message message) {
    if (message instanceof Message.AppendEntries append) {
      return "AppendEntries prev="
          + append.prev()
          + " "
          + entries(append.entries())
          + " commit="
          + append.commit()
          + " round="
          + append.round();
    }
    if (message instanceof Message.AppendEntriesResponse answer) {
      String result =
          answer.hint() == null
              ? "match=" + answer.match()
              : "rejected=" + answer.rejected() + " hint=" + answer.hint();
      return "AppendEntriesResponse " + result + " round=" + answer.round();
    }
    if (message instanceof Message.RequestVote request) {
      return (request.preVote() ? "RequestPreVote last=" : "RequestVote last=")
          + request.last()
          + (request.transfer() ? " transfer" : "");
    }
    if (message instanceof Message.RequestVoteResponse answer) {
      return (answer.preVote() ? "RequestPreVoteResponse " : "RequestVoteResponse ")
          + (answer.granted() ? "granted" : "refused");
    }
    return message.toString().replace("[]", "");
  }

  private static String entries(List<Entry> entries) {
    if (entries.isEmpty()) {
      return "[]";
    }
    String first = entries.get(0).id().toString();
    int count = entries.size();
    return count == 1 ? "[" + first + "]" : "[" + first + " … " + entries.get(count - 1).id() + "]";
  }

  private static String digests(List<EntryDigest> entries) {
    StringJoiner text = new StringJoiner(", ");
    entries.forEach(entry -> text.add(digest(entry)));
    return text.toString();
  }

  private static String digest(EntryDigest entry) {
    return switch (entry.type()) {
      case NO_OP -> entry.id() + " no-op";
      case COMMAND -> String.format(Locale.ROOT, "%s %x", entry.id(), entry.payloadHash());
      case MEMBERSHIP -> entry.id() + " membership";
    };
  }

  private static String call(ClientOperation call) {
    if (call instanceof ClientOperation.Put put) {
      return "put " + put.key() + " = " + put.value();
    } else if (call instanceof ClientOperation.Get get) {
      return (get.lease() ? "get by lease " : "get ") + get.key();
    } else if (call instanceof ClientOperation.StaleGet get) {
      return "get from " + get.member() + " " + get.key() + " bound=" + get.boundNanos();
    } else if (call instanceof ClientOperation.Delete delete) {
      return "delete " + delete.key();
    } else if (call instanceof ClientOperation.DeleteRange delete) {
      return "delete " + range(delete.range());
    } else if (call instanceof ClientOperation.Range read) {
      return "range " + range(read.range());
    } else if (call instanceof ClientOperation.Transaction transaction) {
      return "txn " + txn(transaction.txn());
    }
    throw new AssertionError("unknown operation " + call);
  }

  private static String txn(Txn txn) {
    StringJoiner compares = new StringJoiner(" and ", "if ", " ").setEmptyValue("");
    for (Compare compare : txn.compares()) {
      compares.add(
          compare.target()
              + " "
              + compare.range().from()
              + " "
              + compare.relation()
              + " "
              + (compare.target() == Compare.Target.VALUE ? compare.value() : compare.number()));
    }
    return compares + "then " + branch(txn.success()) + " else " + branch(txn.failure());
  }

  private static String branch(List<Op> ops) {
    StringJoiner text = new StringJoiner(", ", "[", "]");
    for (Op op : ops) {
      if (op instanceof Op.Put put) {
        text.add("put " + put.key() + " = " + put.value());
      } else if (op instanceof Op.DeleteRange delete) {
        text.add("delete " + delete.range().from());
      } else if (op instanceof Op.Range read) {
        text.add("get " + read.range().from());
      } else {
        throw new AssertionError("unknown operation " + op);
      }
    }
    return text.toString();
  }

  private static String range(KeyRange range) {
    return "[" + range.from() + ", " + (range.to() == null ? "∞" : range.to()) + ")";
  }

  private static String outcome(ClientOutcome outcome) {
    if (outcome instanceof ClientOutcome.Done done) {
      StringJoiner found = new StringJoiner(", ", " {", "}").setEmptyValue("");
      done.keyValues().forEach(keyValue -> found.add(keyValue(keyValue)));
      String deleted = done.deleted() == 0 ? "" : " deleted=" + done.deleted();
      Boolean held = done.succeeded();
      String branch = held == null ? "" : held ? " then" : " else";
      return "done revision=" + done.revision() + branch + deleted + found;
    }
    return outcome.toString();
  }

  private static String keyValue(KeyValue found) {
    return found.key() + "=" + found.value() + "@" + found.modRevision();
  }
}
