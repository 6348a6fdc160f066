package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers snapshots and answers who asks for their bytes. What it remembers of a receiver only
 * decides how long it counts as one: everything would also work if it forgot. Used on the loop.
 */
final class SnapshotSender {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSender.class);

  /** Requests of one receiver that wait; it does not have more under way. */
  static final int PULLS_MAX = 2 * SnapshotReceiver.CHUNKS_UNDER_WAY_MAX;

  /** Chunks that are being read from the disk at one time. */
  private static final int READS_MAX = 4;

  /** What may be sent at once after a silence, in parts of a second's allowance. */
  private static final int BURST_DIVISOR = 8;

  /** To install what is large takes longer than to ask for more of it. */
  static final int INSTALL_PATIENCE = 10;

  private static final long SECOND_NANOS = 1_000_000_000;

  /** Somebody who has been offered a snapshot, or has asked for parts of one. */
  private static final class Sending {
    private final String name;
    private int silentTicks;

    /** Whether it has all, and installs it. */
    private boolean isFetched;

    /** Where the farthest part that was sent ends, all files counted as one. */
    private long sentBytes;

    Sending(String name) {
      this.name = name;
    }
  }

  private record Request(NodeId from, SnapshotFrame.Pull pull) {}

  private final RaftCore core;
  private final SnapshotLane lane;
  private final SnapshotStore store;
  private final Transport transport;
  private final Clock clock;
  private final long bytesPerSecond;
  private final int patienceTicks;
  private final Map<NodeId, Sending> sending = new TreeMap<>();
  private final ArrayDeque<Request> requests = new ArrayDeque<>();
  private int reading;
  private long allowedBytes;
  private long allowedNanos;

  /**
   * A sender.
   *
   * @param patienceTicks of silence, after which somebody does not count as a receiver any more
   */
  SnapshotSender(
      RaftCore core,
      SnapshotLane lane,
      SnapshotStore store,
      Transport transport,
      Clock clock,
      long bytesPerSecond,
      int patienceTicks) {
    this.core = core;
    this.lane = lane;
    this.store = store;
    this.transport = transport;
    this.clock = clock;
    this.bytesPerSecond = bytesPerSecond;
    this.patienceTicks = patienceTicks;
    allowedNanos = clock.nanoTime();
    allowedBytes = burstBytes();
  }

  /** The core wants a follower to have a snapshot. */
  void offer(NodeId to, long term, SnapshotMeta newest) {
    Manifest manifest = chosen(to, newest);
    if (manifest == null) {
      core.snapshotFailed(to);
      return;
    }
    Sending before = sending.get(to);
    transport.send(to, new SnapshotFrame.Offer(term, manifest.encode()));
    if (before != null && before.isFetched && before.name.equals(manifest.name())) {
      // It installs it, or could not: only then it asks again.
      core.snapshotSent(to);
      return;
    }
    LOG.info("{} is offered snapshot {}", to, manifest);
    sending.put(to, new Sending(manifest.name()));
  }

  /** The one that it is receiving already, if that still brings it to where our log begins. */
  private @Nullable Manifest chosen(NodeId to, SnapshotMeta newest) {
    Sending before = sending.get(to);
    Manifest older = before == null ? null : store.find(before.name);
    if (older != null && older.meta().last().index() >= core.status().compacted().index()) {
      return older;
    }
    return store.find(Manifest.nameOf(newest.last()));
  }

  /** A receiver asks. Too many requests are dropped; it asks again. */
  void pulled(NodeId from, SnapshotFrame.Pull pull) {
    Manifest manifest = store.find(pull.name());
    if (manifest == null || !has(manifest, pull)) {
      transport.send(from, new SnapshotFrame.Gone(pull.name()));
      transport.flush();
      return;
    }
    Sending known = sending.get(from);
    if (known == null || !known.name.equals(pull.name())) {
      known = new Sending(pull.name());
      sending.put(from, known);
    }
    known.silentTicks = 0;
    known.isFetched = false;
    Request request = new Request(from, pull);
    long waiting = requests.stream().filter(each -> each.from().equals(from)).count();
    if (waiting < PULLS_MAX && !requests.contains(request)) {
      requests.add(request);
      serve();
    }
  }

  private static boolean has(Manifest manifest, SnapshotFrame.Pull pull) {
    return pull.file() < manifest.files().size()
        && pull.length() <= manifest.files().get(pull.file()).bytes() - pull.offset();
  }

  private void serve() {
    refill();
    while (allowedBytes > 0 && reading < READS_MAX && !requests.isEmpty()) {
      Request request = requests.remove();
      allowedBytes -= request.pull().length();
      reading++;
      lane.run(() -> read(request.pull()), chunk -> send(request, chunk), why -> failed(request));
    }
  }

  private void refill() {
    long nanos = clock.nanoTime();
    long passedNanos = Math.min(nanos - allowedNanos, SECOND_NANOS);
    allowedNanos = nanos;
    long more = (long) ((double) bytesPerSecond * passedNanos / SECOND_NANOS);
    allowedBytes = Math.min(burstBytes(), allowedBytes + more);
  }

  private long burstBytes() {
    return Math.max(1, bytesPerSecond / BURST_DIVISOR);
  }

  /** On the snapshot lane. */
  private SnapshotFrame.Chunk read(SnapshotFrame.Pull pull) {
    byte[] bytes = store.read(pull.name(), pull.file(), pull.offset(), pull.length());
    return new SnapshotFrame.Chunk(pull.name(), pull.file(), pull.offset(), crc(bytes), bytes);
  }

  static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private void send(Request request, SnapshotFrame.Chunk chunk) {
    reading--;
    Sending known = sending.get(request.from());
    Manifest manifest = store.find(chunk.name());
    if (known != null && manifest != null && known.name.equals(chunk.name())) {
      known.silentTicks = 0;
      known.sentBytes = Math.max(known.sentBytes, end(manifest, request.pull()));
    }
    transport.send(request.from(), chunk);
    transport.flush();
    serve();
  }

  private static long end(Manifest manifest, SnapshotFrame.Pull pull) {
    long before = 0;
    for (int i = 0; i < pull.file(); i++) {
      before += manifest.files().get(i).bytes();
    }
    return before + pull.offset() + pull.length();
  }

  private void failed(Request request) {
    reading--;
    LOG.warn("snapshot {} cannot be read for {}", request.pull().name(), request.from());
    transport.send(request.from(), new SnapshotFrame.Gone(request.pull().name()));
    transport.flush();
    serve();
  }

  /**
   * A receiver needs no more of it. Until it has installed it, it stays, and the log behind it: or
   * what a large one goes on from would be gone when it is there (FAULTS F066).
   */
  void fetched(NodeId from, String name) {
    Sending known = sending.get(from);
    if (known != null && known.name.equals(name)) {
      known.isFetched = true;
      known.silentTicks = 0;
      requests.removeIf(each -> each.from().equals(from));
      core.snapshotSent(from);
    }
  }

  /**
   * Time passes: what waited may go, and who is silent is given up.
   *
   * @param isKept whether a receiver still counts: who was removed from the group does not (F076)
   */
  void tick(Predicate<NodeId> isKept) {
    serve();
    for (NodeId peer : new TreeSet<>(sending.keySet())) {
      Sending known = sending.get(peer);
      if (known == null) {
        continue;
      }
      int patience = known.isFetched ? INSTALL_PATIENCE * patienceTicks : patienceTicks;
      if (known.isFetched && isInstalled(peer, known.name)) {
        forget(peer);
      } else if (++known.silentTicks > patience || !isKept.test(peer)) {
        forget(peer);
        core.snapshotFailed(peer);
      }
    }
  }

  private boolean isInstalled(NodeId peer, String name) {
    RaftStatus.Progress progress = core.status().progress().get(peer);
    Manifest manifest = store.find(name);
    return manifest == null
        || (progress != null && progress.matchIndex() >= manifest.meta().last().index());
  }

  /** Somebody says that what he gets of a snapshot is damaged; null if he is no receiver of it. */
  @Nullable Manifest doubted(NodeId from, String name) {
    Sending known = sending.get(from);
    if (known == null || !known.name.equals(name)) {
      return null;
    }
    forget(from);
    core.snapshotFailed(from);
    return store.find(name);
  }

  private void forget(NodeId peer) {
    sending.remove(peer);
    requests.removeIf(each -> each.from().equals(peer));
  }

  boolean isIdle() {
    return receivers().isEmpty();
  }

  /** Whoever was offered one lately, or has asked, and has not got all. */
  SortedSet<NodeId> receivers() {
    TreeSet<NodeId> receivers = new TreeSet<>();
    sending.forEach(
        (peer, known) -> {
          if (!known.isFetched) {
            receivers.add(peer);
          }
        });
    return receivers;
  }

  /** What a receiver was sent so far; null if it is none. */
  CatchingUp.@Nullable Fetched fetches(NodeId peer) {
    Sending known = sending.get(peer);
    return known == null ? null : new CatchingUp.Fetched(known.name, known.sentBytes);
  }

  /** The snapshots that must not be deleted. */
  SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    sending.values().forEach(each -> names.add(each.name));
    return names;
  }

  /** Where the oldest of them ends; {@link Long#MAX_VALUE} if there is none. */
  long oldestIndex() {
    long oldest = Long.MAX_VALUE;
    for (String name : names()) {
      Manifest manifest = store.find(name);
      if (manifest != null) {
        oldest = Math.min(oldest, manifest.meta().last().index());
      }
    }
    return oldest;
  }
}
