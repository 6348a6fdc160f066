package io.kvorum.simulator.plan;

/**
 * The shape of a run.
 *
 * @param nodes members at the start, 1 to 7
 * @param clients that call one after another, each
 * @param keys how many different keys they use
 * @param operationsMax after which the clients stop calling
 * @param safetyNanos how long faults strike; afterwards a majority is healed and has to get on
 */
public record SimOptions(int nodes, int clients, int keys, int operationsMax, long safetyNanos) {}
