package io.kvorum.simulator.report;

import io.kvorum.raft.Message;

/** A message in a few letters, as an arrow bears them; the whole text is in its title. */
final class MessageLabel {
  private MessageLabel() {}

  /** The label; empty for what carries nothing, such as a heartbeat. */
  static String of(Message message) {
    if (message instanceof Message.AppendEntries append) {
      if (append.entries().isEmpty()) {
        return "";
      }
      int last = append.entries().size() - 1;
      return "append "
          + append.entries().get(0).id()
          + (last == 0 ? "" : "…" + append.entries().get(last).index());
    }
    if (message instanceof Message.AppendEntriesResponse answer) {
      return answer.hint() == null ? "match " + answer.match() : "rejected " + answer.rejected();
    }
    if (message instanceof Message.RequestVote request) {
      return request.preVote() ? "pre-vote?" : "vote?";
    }
    if (message instanceof Message.RequestVoteResponse answer) {
      return (answer.preVote() ? "pre-vote " : "vote ")
          + (answer.granted() ? "granted" : "refused");
    }
    return message.getClass().getSimpleName();
  }

  /** How it is drawn. */
  static String styleOf(Message message) {
    if (message instanceof Message.AppendEntries append) {
      return append.entries().isEmpty() ? "faint" : "append";
    }
    if (message instanceof Message.AppendEntriesResponse answer) {
      return answer.hint() == null ? "faint" : "refusal";
    }
    return "vote";
  }
}
