package io.kvorum.server.watch;

/**
 * What the watches of a node come to.
 *
 * @param connections with at least one watch
 * @param watches of all of them
 * @param behind those that have events to get, or history to read
 * @param recentEvents held in memory
 */
public record WatchStats(int connections, int watches, int behind, long recentEvents) {}
