package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.HistoryNews;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;

/** Somebody who reads the past again and again, and now and then has it given up. */
final class HistoryLoad {
  private static final int REMEMBERED_MAX = 12;
  private static final long MILLI_NANOS = 1_000_000;

  /** Which is never put. */
  private static final Bytes NO_KEY = Bytes.utf8("~nothing");

  private final World world;
  private final SplittableRandom random;
  private final List<Long> revisions = new ArrayList<>();
  private final long thinkMillisMax;
  private boolean over;

  HistoryLoad(World world) {
    this.world = world;
    this.random = world.streams().of("history");
    this.thinkMillisMax = 50L << random.nextInt(5);
  }

  /** Begins, in most runs. */
  void begin(List<SimClient> clients) {
    if (random.nextInt(4) != 0) {
      think(clients.get(random.nextInt(clients.size())));
    }
  }

  /** Nothing is read any more. */
  void end() {
    over = true;
  }

  private void think(SimClient client) {
    long nanos = (1 + random.nextLong(thinkMillisMax)) * MILLI_NANOS;
    world.time().after(nanos, () -> act(client));
  }

  private void act(SimClient client) {
    if (over) {
      return;
    }
    int kind = random.nextInt(10);
    if (revisions.isEmpty() || kind < 3) {
      read(client, 0);
    } else if (kind < 7) {
      read(client, revisions.get(random.nextInt(revisions.size())));
    } else if (kind < 9) {
      readInTxn(client, revisions.get(random.nextInt(revisions.size())));
    } else {
      compact(client, revisions.get(random.nextInt(revisions.size())));
    }
  }

  private void read(SimClient client, long revision) {
    world.workload().callBegins();
    var unused =
        client
            .client()
            .range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(revision))
            .whenComplete(
                (result, failure) -> {
                  world.workload().callEnds();
                  if (result != null && !result.more()) {
                    long read = revision == 0 ? result.header().revision() : revision;
                    remember(read);
                    tell(HistoryNews.READ, read, Hashes.of(result.keyValues()));
                  } else if (failure != null) {
                    failed(revision, failure);
                  }
                  think(client);
                });
  }

  /** As part of an entry, which each member applies when it likes; it changes nothing. */
  private void readInTxn(SimClient client, long revision) {
    Txn txn =
        Txn.of(
            Op.range(KeyRange.all(), RangeOptions.DEFAULT.withRevision(revision)),
            Op.delete(NO_KEY));
    world.workload().callBegins();
    var unused =
        client
            .client()
            .txn(txn)
            .whenComplete(
                (result, failure) -> {
                  world.workload().callEnds();
                  if (result != null
                      && result.results().get(0) instanceof OpResult.Range range
                      && !range.more()) {
                    tell(HistoryNews.READ, revision, Hashes.of(range.keyValues()));
                  } else if (failure != null) {
                    failed(revision, failure);
                  }
                  think(client);
                });
  }

  private void remember(long revision) {
    if (!revisions.contains(revision)) {
      revisions.add(revision);
    }
    if (revisions.size() > REMEMBERED_MAX) {
      revisions.remove(0);
    }
  }

  private void failed(long revision, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof KvException.Compacted compacted) {
      revisions.remove(revision);
      tell(HistoryNews.REFUSED, revision, compacted.compactRevision());
    } else if (!(cause instanceof KvException) || cause instanceof KvException.Rejected) {
      world.journal().violated("NoClientFails", Texts.of(cause));
    }
  }

  private void compact(SimClient client, long revision) {
    tell(HistoryNews.COMPACTING, revision, 0);
    world.workload().callBegins();
    var unused =
        client
            .client()
            .compact(revision)
            .whenComplete(
                (result, failure) -> {
                  world.workload().callEnds();
                  think(client);
                });
  }

  private void tell(HistoryNews news, long revision, long detail) {
    long now = world.journal().now();
    world.journal().tell(new SimEvent.HistoryTold(now, news, revision, detail));
  }
}
