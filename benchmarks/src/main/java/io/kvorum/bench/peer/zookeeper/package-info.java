/** Apache ZooKeeper. */
@NullMarked
package io.kvorum.bench.peer.zookeeper;

import org.jspecify.annotations.NullMarked;
