/** The tables on RocksDB: the only package that knows it. */
@NullMarked
package io.kvorum.server.store.rocks;

import org.jspecify.annotations.NullMarked;
