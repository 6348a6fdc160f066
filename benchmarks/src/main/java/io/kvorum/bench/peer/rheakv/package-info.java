/** RheaKV, the key-value store of SOFAJRaft. */
@NullMarked
package io.kvorum.bench.peer.rheakv;

import org.jspecify.annotations.NullMarked;
