package io.kvorum.raft;

import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/** How messages and entries read in a transcript. */
final class Transcripts {
  private Transcripts() {}

  static String line(Envelope envelope) {
    return envelope.from()
        + "@"
        + envelope.term()
        + " → "
        + envelope.to()
        + " "
        + text(envelope.message());
  }

  private static String text(Message message) {
    if (message instanceof Message.AppendEntries append) {
      StringJoiner entries = new StringJoiner(", ", "[", "]");
      append.entries().forEach(entry -> entries.add(entry(entry)));
      return "AppendEntries prev=%s %s commit=%d round=%d"
          .formatted(append.prev(), entries, append.commit(), append.round());
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
    if (message instanceof Message.InstallSnapshot install) {
      return "InstallSnapshot " + text(install.snapshot());
    }
    if (message instanceof Message.Removed removed) {
      return "Removed by " + removed.membership();
    }
    if (message instanceof Message.ReadIndex request) {
      return "ReadIndex attempt=" + request.attempt();
    }
    if (message instanceof Message.ReadIndexResponse answer) {
      return "ReadIndexResponse attempt=" + answer.attempt() + " index=" + answer.index();
    }
    if (message instanceof Message.Quiesce quiesce) {
      return "Quiesce last=" + quiesce.last();
    }
    if (message instanceof Message.QuiesceResponse answer) {
      return "QuiesceResponse last=" + answer.last();
    }
    return message.toString().replace("[]", "");
  }

  static String text(SnapshotMeta snapshot) {
    return "last=" + snapshot.last() + " " + snapshot.membership();
  }

  static String entry(Entry entry) {
    return switch (entry.type()) {
      case NO_OP -> entry.id() + " no-op";
      case COMMAND -> entry.id() + " " + payload(entry);
      case MEMBERSHIP -> entry.id() + " membership " + Membership.decode(entry.payload());
    };
  }

  private static String payload(Entry entry) {
    String text = new String(entry.payload(), StandardCharsets.UTF_8);
    return text.chars().allMatch(c -> c > ' ' && c < 127) ? text : "…";
  }
}
