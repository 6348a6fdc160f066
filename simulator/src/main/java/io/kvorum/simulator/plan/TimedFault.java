package io.kvorum.simulator.plan;

/**
 * When a fault strikes.
 *
 * @param atNanos of virtual time
 */
public record TimedFault(long atNanos, Fault fault) {}
