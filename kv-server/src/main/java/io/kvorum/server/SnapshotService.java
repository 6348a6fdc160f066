package io.kvorum.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.kvorum.api.KvException.Reason;
import io.kvorum.node.RaftNode;
import io.kvorum.node.Refusal;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.SnapshotReadRequest;
import io.kvorum.protocol.SnapshotReadResponse;
import io.kvorum.protocol.SnapshotTakeRequest;
import io.kvorum.protocol.SnapshotTakeResponse;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.SnapshotAbout;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotGoneException;
import io.kvorum.snapshot.SnapshotStore;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots for clients: takes one when somebody asks, and gives out the bytes of those that it has
 * lent, for backups. Each member answers for itself, so a backup can be taken of one that does not
 * lead. Nothing is known of who reads: a reader asks for the next bytes, or does not.
 *
 * <p>Bytes are given out at most as fast as {@code snapshot-send-mib} says, on a budget of their
 * own: an answer that is too early waits on the loop as a few numbers, and is read from the disk
 * when it is due. A lent snapshot is kept until nobody has read of it for a minute; its space comes
 * back with the next snapshot after that. Belongs to the loop.
 */
final class SnapshotService {
  /** So many snapshots are lent at a time; each may keep as much space as the state takes. */
  static final int LOANS_MAX = 4;

  private static final long LOAN_NANOS = Duration.ofMinutes(1).toNanos();

  /** Nobody waits longer than that for its turn: then too many read at once. */
  private static final long DELAY_NANOS_MAX = Duration.ofSeconds(2).toNanos();

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final long SECOND_NANOS = 1_000_000_000;

  private final RaftNode<ApplyResult> node;
  private final KvStateMachine machine;
  private final Answers answers;
  private final String self;
  private final ServingPorts ports;
  private final ServingPorts.@Nullable Snapshots snapshots;

  /** By name, until when they are kept if nobody reads of them. */
  private final Map<String, Long> loans = new TreeMap<>();

  /** When the bytes that were promised so far will have gone out. */
  private long freeNanos;

  private boolean isWatching;

  SnapshotService(
      ServerConfig config,
      RaftNode<ApplyResult> node,
      KvStateMachine machine,
      Answers answers,
      ServingPorts ports) {
    this.node = node;
    this.machine = machine;
    this.answers = answers;
    this.self = config.nodeId().name();
    this.ports = ports;
    this.snapshots = ports.snapshots();
    this.freeNanos = ports.clock().nanoTime();
  }

  void take(long id, SnapshotTakeRequest request, Consumer<ServerFrame> answer) {
    if (snapshots == null) {
      answer.accept(answers.rejected(id, Reason.UNSUPPORTED, self + " keeps no snapshots"));
      return;
    }
    endLoans();
    if (request.getLend() && loans.size() >= LOANS_MAX) {
      String why = "%s: %d snapshots are being read already".formatted(self, loans.size());
      answer.accept(answers.busy(id, why, RETRY_AFTER));
      return;
    }
    SnapshotStore store = snapshots.ports().store();
    var unused =
        node.takeSnapshot()
            .whenComplete(
                (manifest, failure) -> {
                  if (failure == null) {
                    answer.accept(taken(id, store, manifest, request.getLend()));
                  } else {
                    answer.accept(failed(id, "no snapshot was taken", failure));
                  }
                });
  }

  private ServerFrame taken(long id, SnapshotStore store, Manifest manifest, boolean isLent) {
    SnapshotTakeResponse.Builder taken =
        SnapshotTakeResponse.newBuilder()
            .setNodeId(self)
            .setName(manifest.name())
            .setIndex(manifest.meta().last().index())
            .setTerm(manifest.meta().last().term())
            .setRevision(SnapshotAbout.decode(manifest.about()).revision())
            .setBytes(manifest.bytes());
    if (isLent) {
      lend(store, manifest.name());
      taken.setManifest(UnsafeByteOperations.unsafeWrap(manifest.encode()));
    }
    return answers.frame(id, machine.header()).setSnapshotTake(taken).build();
  }

  void read(long id, SnapshotReadRequest request, Consumer<ServerFrame> answer) {
    int length = request.getLength();
    if (snapshots == null || !loans.containsKey(request.getName())) {
      String why = self + " has not lent the snapshot \"" + request.getName() + "\", or not lately";
      answer.accept(answers.rejected(id, Reason.SNAPSHOT_GONE, why));
      return;
    }
    if (length < 1 || length > SnapshotFrame.CHUNK_BYTES_MAX) {
      String why = length + " bytes: 1 to " + SnapshotFrame.CHUNK_BYTES_MAX + " are read at once";
      answer.accept(answers.rejected(id, Reason.INVALID_ARGUMENT, why));
      return;
    }
    SnapshotStore store = snapshots.ports().store();
    long now = ports.clock().nanoTime();
    long begins = Math.max(now, freeNanos);
    if (begins - now > DELAY_NANOS_MAX) {
      answer.accept(answers.busy(id, self + ": too many read snapshots at once", RETRY_AFTER));
      return;
    }
    freeNanos = begins + length * SECOND_NANOS / snapshots.config().sendBytesPerSecond();
    lend(store, request.getName());
    Runnable read = () -> snapshots.ports().lane().execute(() -> read(id, store, request, answer));
    if (begins == now) {
      read.run();
    } else {
      ports.loop().schedule(read, begins - now);
    }
  }

  /** On the snapshot lane. */
  private void read(
      long id, SnapshotStore store, SnapshotReadRequest request, Consumer<ServerFrame> answer) {
    Supplier<ServerFrame> frame;
    try {
      byte[] content =
          store.read(
              request.getName(), request.getFile(), request.getOffset(), request.getLength());
      frame = () -> content(id, content);
    } catch (SnapshotGoneException gone) {
      String why = self + ": " + gone.getMessage();
      frame = () -> answers.rejected(id, Reason.SNAPSHOT_GONE, why);
    } catch (IllegalArgumentException nothingThere) {
      String why = String.valueOf(nothingThere.getMessage());
      frame = () -> answers.rejected(id, Reason.INVALID_ARGUMENT, why);
    } catch (UncheckedIOException unreadable) {
      frame = () -> failed(id, "the snapshot cannot be read", unreadable);
    }
    Supplier<ServerFrame> made = frame;
    ports.loop().execute(() -> answer.accept(made.get()));
  }

  private ServerFrame content(long id, byte[] content) {
    CRC32C checksum = new CRC32C();
    checksum.update(content, 0, content.length);
    ByteString bytes = UnsafeByteOperations.unsafeWrap(content);
    return answers
        .frame(id, machine.header())
        .setSnapshotRead(
            SnapshotReadResponse.newBuilder()
                .setContent(bytes)
                .setChecksum((int) checksum.getValue()))
        .build();
  }

  /** A snapshot is a copy: that there is none says nothing of the node, and a later one may do. */
  private ServerFrame failed(long id, String what, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (node.isStopped()) {
      return answers.refused(id, new Refusal.Stopped(what));
    }
    String why = self + ": " + what + ": " + (cause == null ? failure : cause).getMessage();
    return ServerFrame.newBuilder()
        .setId(id)
        .setError(Error.newBuilder().setKind(Error.Kind.UNAVAILABLE).setMessage(why))
        .build();
  }

  private void lend(SnapshotStore store, String name) {
    loans.put(name, ports.clock().nanoTime() + LOAN_NANOS);
    store.lend(loans.keySet());
    watchLoans();
  }

  private void endLoans() {
    long now = ports.clock().nanoTime();
    if (snapshots != null && loans.values().removeIf(until -> until - now < 0)) {
      snapshots.ports().store().lend(loans.keySet());
    }
  }

  /** Nobody keeps time while nothing is lent. */
  private void watchLoans() {
    if (!isWatching && !node.isStopped()) {
      isWatching = true;
      ports.loop().schedule(this::looked, LOAN_NANOS);
    }
  }

  private void looked() {
    isWatching = false;
    endLoans();
    if (!loans.isEmpty()) {
      watchLoans();
    }
  }
}
