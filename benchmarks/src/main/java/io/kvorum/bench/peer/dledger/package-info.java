/** DLedger, the replicated log of RocketMQ. */
@NullMarked
package io.kvorum.bench.peer.dledger;

import org.jspecify.annotations.NullMarked;
