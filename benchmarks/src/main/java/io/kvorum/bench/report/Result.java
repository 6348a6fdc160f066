package io.kvorum.bench.report;

import io.kvorum.bench.load.Outcome;
import io.kvorum.bench.load.Workload;

/**
 * One measurement.
 *
 * @param round from 1
 */
public record Result(String system, int round, Workload workload, int clients, Outcome outcome) {}
