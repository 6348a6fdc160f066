/** etcd, as Debian packages it, through jetcd. */
@NullMarked
package io.kvorum.bench.peer.etcd;

import org.jspecify.annotations.NullMarked;
