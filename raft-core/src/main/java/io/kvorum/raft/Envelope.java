package io.kvorum.raft;

/**
 * A message with what the term rule of figure 2 ("Rules for Servers, All Servers") needs to see.
 *
 * @param term the sender's term, except that a pre-vote and its grant carry the term campaigned for
 */
public record Envelope(NodeId from, NodeId to, long term, Message message) {}
