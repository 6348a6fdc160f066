package io.kvorum.node;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.CorruptSnapshotException;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.Receipt;
import io.kvorum.snapshot.SnapshotRefusedException;
import io.kvorum.snapshot.SnapshotStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the snapshots that a leader offers, one at a time. What has arrived is on the disk, and
 * from where it ends is asked on: after a lost frame, a lost connection, another leader, or a
 * restart of either side nothing begins anew as long as anybody has the same snapshot. A fetch that
 * goes on is not given up for a newer offer, or a group that takes snapshots often would never
 * bring one home (FAULTS F066). Used on the loop.
 */
final class SnapshotReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotReceiver.class);

  /** Chunks that were asked for and are not written: so much memory a fetch needs at most. */
  static final int CHUNKS_UNDER_WAY_MAX = 8;

  /** How often what was asked for in vain is asked for again, before the fetch is given up. */
  private static final int REPEATS_MAX = 8;

  /** How often a file may turn out to be another one than the manifest says. */
  private static final int DAMAGES_MAX = 2;

  /** Who hears that a snapshot is there. */
  interface Arrivals {
    /** Up to here the node needs none: it has all of this. */
    long commitIndex();

    /** Whether one is being installed: until that is done, it is not known what is needed. */
    boolean isInstalling();

    /** A snapshot has arrived whole, and is published. */
    void fetched(Manifest manifest);

    /** A snapshot that answers an offer is published here, or its entries are. */
    void arrived(NodeId from, long term, SnapshotMeta snapshot);
  }

  /** An offer that was understood. */
  private record Offered(NodeId from, long term, Manifest manifest) {
    EntryId last() {
      return manifest.meta().last();
    }
  }

  /** One fetch, from an offer until it has arrived or is given up. */
  private static final class Fetch {
    private final Manifest manifest;

    /** The newest offer that this fetch is to answer. */
    private Offered offer;

    /** Who is asked. */
    private NodeId source;

    /** Opened on the snapshot lane, and used there only. */
    private @Nullable Receipt receipt;

    /** What came before its turn, used there too. */
    private final List<SnapshotFrame.Chunk> early = new ArrayList<>();

    /** Chunks that were asked for and have not come to the lane; used there too. */
    private int underWay;

    /** Whether the receipt can be used no more; used there too. */
    private boolean ended;

    private final Set<Receipt.Wanted> asked = new HashSet<>();
    private int working;
    private long receivedBytes;
    private int silentTicks;
    private int repeats;
    private int damages;

    Fetch(Offered offer) {
      this.offer = offer;
      this.manifest = offer.manifest();
      this.source = offer.from();
    }
  }

  /**
   * What a step on the lane has come to.
   *
   * @param moved whether something was added to what is here
   */
  private record Step(List<Receipt.Wanted> wanted, long bytes, boolean moved, boolean published) {
    private static final Step NONE = new Step(List.of(), 0, false, false);
  }

  private final SnapshotLane lane;
  private final SnapshotStore store;
  private final Transport transport;
  private final Arrivals arrivals;
  private final int chunkBytes;
  private final int patienceTicks;
  private @Nullable Fetch fetch;

  /** From another leader, or of another snapshot, while a fetch goes on. */
  private @Nullable Offered next;

  /**
   * A receiver.
   *
   * @param chunkBytes how much is asked for at once
   * @param patienceTicks after which what was asked for is asked for again
   */
  SnapshotReceiver(
      SnapshotLane lane,
      SnapshotStore store,
      Transport transport,
      Arrivals arrivals,
      int chunkBytes,
      int patienceTicks) {
    this.lane = lane;
    this.store = store;
    this.transport = transport;
    this.arrivals = arrivals;
    this.chunkBytes = chunkBytes;
    this.patienceTicks = patienceTicks;
  }

  /** A leader offers a snapshot. It may be an old offer, or come twice. */
  void offered(NodeId from, SnapshotFrame.Offer frame) {
    try {
      Manifest manifest = Manifest.decode(frame.manifest(), "an offer of " + from);
      offered(new Offered(from, frame.term(), manifest));
    } catch (CorruptSnapshotException | SnapshotRefusedException bad) {
      LOG.warn("{} offers a snapshot that cannot be taken: {}", from, bad.toString());
    }
  }

  private void offered(Offered offer) {
    SnapshotMeta had = had(offer);
    if (arrivals.isInstalling()) {
      return;
    }
    if (had != null) {
      answer(offer, had);
    } else if (fetch == null) {
      begin(offer);
    } else if (fetch.manifest.equals(offer.manifest())) {
      // The same one: it goes on, from whoever offers it now.
      fetch.offer = offer;
      fetch.source = offer.from();
    } else if (fetch.offer.term() <= offer.term()) {
      fetch.offer = offer;
      next = offer;
    }
  }

  /** What is here already and as good as what is offered; null if nothing is. */
  private @Nullable SnapshotMeta had(Offered offer) {
    if (arrivals.commitIndex() >= offer.last().index()) {
      return offer.manifest().meta();
    }
    // Fetched before, and committed: so every leader has what it stands for.
    Manifest newest = store.newest();
    return newest != null && newest.meta().last().index() >= offer.last().index()
        ? newest.meta()
        : null;
  }

  private void answer(Offered offer, SnapshotMeta snapshot) {
    if (snapshot.last().index() >= offer.last().index()) {
      say(offer.from(), new SnapshotFrame.Fetched(offer.manifest().name()));
    }
    arrivals.arrived(offer.from(), offer.term(), snapshot);
  }

  private void say(NodeId to, SnapshotFrame frame) {
    transport.send(to, frame);
    transport.flush();
  }

  private void begin(Offered offer) {
    Fetch begun = new Fetch(offer);
    fetch = begun;
    next = null;
    LOG.info("fetches snapshot {} from {}", begun.manifest, begun.source);
    run(
        begun,
        () -> {
          begun.receipt = store.receive(begun.manifest);
          return step(begun, false);
        });
  }

  /** A chunk has come. It counts if it was asked for; so doubles and strays cost nothing. */
  void chunk(NodeId from, SnapshotFrame.Chunk chunk) {
    Fetch now = fetch;
    if (now == null || !from.equals(now.source) || !now.manifest.name().equals(chunk.name())) {
      return;
    }
    if (!now.asked.remove(new Receipt.Wanted(chunk.file(), chunk.offset(), chunk.bytes().length))) {
      return;
    }
    now.silentTicks = 0;
    run(now, () -> take(now, chunk));
  }

  /** On the snapshot lane: writes the chunk, and those that came before their turn and fit now. */
  private Step take(Fetch of, SnapshotFrame.Chunk chunk) {
    of.underWay--;
    if (SnapshotSender.crc(chunk.bytes()) == chunk.crc()) {
      of.early.add(chunk);
    }
    Receipt receipt = receipt(of);
    int taken = 0;
    while (of.early.removeIf(each -> receipt.accept(each.file(), each.offset(), each.bytes()))) {
      taken++;
    }
    if (of.underWay <= 0 && taken == 0) {
      // One before it was lost or damaged: from there on again.
      askFromTheEnd(of);
    }
    return step(of, taken > 0);
  }

  private static void askFromTheEnd(Fetch of) {
    of.early.clear();
    of.underWay = 0;
    receipt(of).again();
  }

  /** On the snapshot lane. */
  private static Receipt receipt(Fetch fetch) {
    Receipt receipt = fetch.receipt;
    if (receipt == null) {
      throw new IllegalStateException("a chunk before the first request");
    }
    return receipt;
  }

  /** On the snapshot lane: what to ask for next; publishes when nothing is left. */
  private Step step(Fetch of, boolean moved) {
    Receipt receipt = receipt(of);
    if (receipt.isComplete()) {
      receipt.publish();
      return new Step(List.of(), of.manifest.bytes(), moved, true);
    }
    List<Receipt.Wanted> wanted = new ArrayList<>();
    // What waits for its turn counts: behind a gap nothing more is asked for.
    for (int i = of.underWay + of.early.size(); i < CHUNKS_UNDER_WAY_MAX; i++) {
      Receipt.Wanted more = receipt.next(chunkBytes);
      if (more != null) {
        wanted.add(more);
      }
    }
    of.underWay += wanted.size();
    return new Step(wanted, receipt.receivedBytes(), moved, false);
  }

  private void run(Fetch of, Supplier<Step> work) {
    of.working++;
    lane.run(
        () -> of.ended ? Step.NONE : work(of, work),
        step -> stepped(of, step),
        failure -> failed(of, failure));
  }

  /** On the snapshot lane: what was queued behind a failure finds the receipt closed. */
  private static Step work(Fetch of, Supplier<Step> work) {
    of.ended = true;
    try {
      Step step = work.get();
      of.ended = step.published();
      return step;
    } catch (CorruptSnapshotException usable) {
      of.ended = false;
      throw usable;
    }
  }

  private void stepped(Fetch of, Step step) {
    if (of != fetch) {
      return;
    }
    of.working--;
    of.receivedBytes = step.bytes();
    if (step.moved()) {
      of.repeats = 0;
    }
    if (step.published()) {
      LOG.info("has fetched snapshot {}", of.manifest);
      fetch = null;
      next = null;
      arrivals.fetched(of.manifest);
      answer(of.offer, of.manifest.meta());
    } else {
      ask(of, step.wanted());
    }
  }

  private void ask(Fetch of, List<Receipt.Wanted> wanted) {
    for (Receipt.Wanted more : wanted) {
      if (of.asked.add(more)) {
        transport.send(
            of.source,
            new SnapshotFrame.Pull(of.manifest.name(), more.file(), more.offset(), more.length()));
      }
    }
    transport.flush();
  }

  private void askAgain(Fetch of) {
    of.asked.clear();
    of.silentTicks = 0;
    run(
        of,
        () -> {
          askFromTheEnd(of);
          return step(of, false);
        });
  }

  private void failed(Fetch of, RuntimeException failure) {
    if (of != fetch) {
      return;
    }
    of.working--;
    if (failure instanceof CorruptSnapshotException && of.damages++ < DAMAGES_MAX) {
      LOG.warn("{} from {}: asks again", failure.getMessage(), of.source);
      askAgain(of);
      return;
    }
    if (failure instanceof CorruptSnapshotException) {
      // It comes damaged again and again: then it lies damaged there.
      say(of.source, new SnapshotFrame.Gone(of.manifest.name()));
    }
    giveUp(of, failure.toString());
  }

  /** The one who is asked has it no more. */
  void gone(NodeId from, String name) {
    Fetch now = fetch;
    if (now != null && from.equals(now.source) && now.manifest.name().equals(name)) {
      giveUp(now, from + " has it no more");
    }
  }

  /** What has arrived stays; with the next offer of the same snapshot it goes on. */
  private void giveUp(Fetch of, String why) {
    LOG.warn("gives up to fetch snapshot {}: {}", of.manifest, why);
    fetch = null;
    Offered after = next;
    next = null;
    if (after != null) {
      offered(after);
    }
  }

  /** Time passes: what does not come is asked for again, and given up in the end. */
  void tick() {
    Fetch now = fetch;
    if (now == null || now.working > 0 || ++now.silentTicks < patienceTicks) {
      return;
    }
    if (++now.repeats > REPEATS_MAX) {
      giveUp(now, now.source + " does not answer");
    } else {
      askAgain(now);
    }
  }

  /** What is arriving; null if nothing is. */
  SnapshotStatus.@Nullable Receiving receiving() {
    Fetch now = fetch;
    return now == null
        ? null
        : new SnapshotStatus.Receiving(
            now.source, now.manifest.meta().last(), now.receivedBytes, now.manifest.bytes());
  }
}
