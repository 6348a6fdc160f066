package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Somebody who stands in an election, again and again, until this is closed. Thread-safe. */
public final class Candidacy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Candidacy.class);

  private final LeaderElection election;
  private final RecipePorts ports;
  private final Bytes value;
  private final TermListener listener;
  private final OwnerLoop owners;

  /** Guards what follows; nobody else's code is called with it held. */
  private final Object lock = new Object();

  private final ArrayDeque<Runnable> news = new ArrayDeque<>();
  private @Nullable Leadership leads;
  private boolean isTelling;

  private Candidacy(
      LeaderElection election,
      RecipePorts ports,
      Duration ttl,
      Bytes value,
      TermListener listener) {
    this.election = election;
    this.ports = ports;
    this.value = value;
    this.listener = listener;
    this.owners = new OwnerLoop(ports, ttl, this::begin, closed -> {});
  }

  static Candidacy begin(
      LeaderElection election,
      RecipePorts ports,
      Duration ttl,
      Bytes value,
      TermListener listener) {
    Candidacy candidacy = new Candidacy(election, ports, ttl, value, listener);
    candidacy.owners.start();
    return candidacy;
  }

  private void begin(Owner owner) {
    owner.addDependent(this::over);
    stand(owner);
  }

  private void stand(Owner owner) {
    var unused =
        election
            .campaign(owner, value)
            .whenComplete(
                (leadership, failure) -> {
                  if (leadership != null) {
                    elected(owner, leadership);
                  } else if (owner.isAlive()) {
                    LOG.debug("the campaign failed; trying again", failure);
                    owners.abandon(owner);
                  }
                });
  }

  private void elected(Owner owner, Leadership leadership) {
    synchronized (lock) {
      leads = leadership;
    }
    tell(() -> listener.elected(leadership));
    leadership.onLost(why -> lost(leadership, why));
    if (!owner.isAlive()) {
      over(leadership, "the lease has run out");
    }
    var unused =
        leadership.released().whenComplete((nothing, failure) -> resigned(owner, leadership));
  }

  /** With its lease, or without: then what is left of it is cleared away, and it stands again. */
  private void lost(Leadership leadership, String why) {
    over(leadership, why);
    leadership.close();
  }

  /** Behind all others, who may want to lead as well. */
  private void resigned(Owner owner, Leadership leadership) {
    over(leadership, "it has resigned");
    if (owner.isAlive()) {
      stand(owner);
    }
  }

  /** The owner is: whatever it leads is over. */
  private void over(String why) {
    Leadership last;
    synchronized (lock) {
      last = leads;
    }
    if (last != null) {
      over(last, why);
    }
  }

  /** That term is, if nobody has said so before; a later one may have begun. */
  private void over(Leadership which, String why) {
    synchronized (lock) {
      if (leads != which) {
        return;
      }
      leads = null;
    }
    tell(() -> listener.lost(which.term(), why));
  }

  private void tell(Runnable one) {
    synchronized (lock) {
      news.add(one);
      if (isTelling) {
        return;
      }
      isTelling = true;
    }
    ports.tell(this::tellNext);
  }

  private void tellNext() {
    Runnable next;
    synchronized (lock) {
      next = news.remove();
    }
    try {
      next.run();
    } finally {
      boolean more;
      synchronized (lock) {
        more = !news.isEmpty();
        isTelling = more;
      }
      if (more) {
        ports.tell(this::tellNext);
      }
    }
  }

  /** The present term, if this candidate leads. */
  public Optional<Leadership> leadership() {
    synchronized (lock) {
      return Optional.ofNullable(leads).filter(Leadership::isLeading);
    }
  }

  /**
   * Resigns, and stands no more.
   *
   * @return completes when the candidate certainly does not lead; fails when that is not known, and
   *     its lease ends by itself
   */
  public CompletableFuture<Void> end() {
    return owners.end();
  }

  /** As {@link #end}, without waiting. */
  @Override
  public void close() {
    var unused = end();
  }
}
