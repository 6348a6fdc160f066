package io.kvorum.server.store;

import io.kvorum.api.DeleteResult;
import io.kvorum.api.Header;
import io.kvorum.api.PutResult;
import io.kvorum.api.TxnResult;

/** What an applied entry resulted in, the same on every member and at every replay. */
public sealed interface ApplyResult {
  /** Where the store stands after the entry. */
  Header header();

  /** A put took effect. */
  record PutApplied(PutResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** A delete took effect; it may have found nothing. */
  record DeleteApplied(DeleteResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** A transaction was executed; it may have changed nothing. */
  record TxnApplied(TxnResult result) implements ApplyResult {
    @Override
    public Header header() {
      return result.header();
    }
  }

  /** The entry was for Raft only. */
  record NothingApplied(Header header) implements ApplyResult {}

  /** The command broke a rule or a limit of the store and changed nothing. */
  record Rejected(Header header, Refusal refusal) implements ApplyResult {}
}
