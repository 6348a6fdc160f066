package io.kvorum.simulator;

import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.trace.SimEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a run went.
 *
 * @param violation what was broken, or null
 * @param steps tasks that ran, on all lanes of all machines
 * @param simulatedNanos virtual time that passed
 * @param traceHash of every event: equal runs have equal hashes, in any JVM
 * @param trace the events, if they were to be kept; else empty
 */
public record SimResult(
    SimPlan plan,
    @Nullable Violation violation,
    long steps,
    long simulatedNanos,
    long traceHash,
    List<SimEvent> trace) {}
