package io.kvorum.api;

/**
 * How to execute a transaction.
 *
 * @param consistency what the answer of one that only reads may rest on; one that can write is
 *     always linearizable
 */
public record TxnOptions(ReadConsistency consistency) {
  public static final TxnOptions DEFAULT = new TxnOptions(ReadConsistency.LINEARIZABLE);

  public TxnOptions withConsistency(ReadConsistency restsOn) {
    return new TxnOptions(restsOn);
  }
}
