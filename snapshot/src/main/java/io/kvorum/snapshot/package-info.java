/** Snapshots on disk: manifests, atomic publish, transfer that can be resumed, retention. */
@NullMarked
package io.kvorum.snapshot;

import org.jspecify.annotations.NullMarked;
