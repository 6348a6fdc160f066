package io.kvorum.server;

/**
 * What a node sees of its group beside the log: where the members are, and what they think of it.
 */
record GroupView(Roster roster, Standing standing) {}
