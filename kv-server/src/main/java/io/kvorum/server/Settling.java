package io.kvorum.server;

import io.kvorum.node.ProposalListener;
import io.kvorum.node.Refusal;
import io.kvorum.server.store.ApplyResult;

/**
 * Waits for the end of what the node itself has proposed, whatever that is: if there is still
 * something to do, a later tick proposes it again (FAULTS F125).
 */
record Settling(Runnable settled) implements ProposalListener<ApplyResult> {
  @Override
  public void applied(ApplyResult result) {
    settled.run();
  }

  @Override
  public void refused(Refusal why) {
    settled.run();
  }

  @Override
  public void unknown(String why) {
    settled.run();
  }
}
