package io.kvorum.bench.cli;

import java.io.PrintStream;
import java.nio.file.Path;

/**
 * What commands are given.
 *
 * @param out for results
 * @param err for progress and complaints
 * @param peerLibraries where the libraries of each peer lie, in a folder of its name
 * @param proc where the kernel shows itself
 */
record Tools(PrintStream out, PrintStream err, Path peerLibraries, Path proc) {}
