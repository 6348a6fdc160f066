package io.kvorum.api;

/**
 * Where the answering node stood when it answered.
 *
 * @param revision the store's revision: of this write, or the current one for a read
 * @param term the leader's term; grows with every election
 * @param appliedIndex the last log entry in the state that was read or written
 * @param logTimeMillis the largest time stamp in the log so far, milliseconds since the epoch
 */
public record Header(long revision, long term, long appliedIndex, long logTimeMillis) {}
