package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * An election: of all who stand, the one that has stood longest leads, until it resigns or its
 * lease ends.
 *
 * <pre>{@code
 * LeaderElection election = LeaderElection.of(RecipePorts.of(client), "election/scheduler");
 * try (Candidacy candidacy = election.stand(Duration.ofSeconds(10), myAddress, new TermListener() {
 *   public void elected(Leadership leadership) { scheduler.start(leadership.term()); }
 *   public void lost(long term, String why) { scheduler.stop(); }
 * })) { … }
 * }</pre>
 *
 * <p><b>Guarantees.</b> Every leadership has a term, higher than all before it: the revision at
 * which the candidate's key was created. Where terms are checked, by a {@link FencingGuard} or by
 * {@link Leadership#guard}, nobody gets through once the next leader has. A leader is told that its
 * term is over no later than the next one can be elected, by its own clock. A crashed leader is
 * followed after the TTL and a little more.
 *
 * <p><b>Not guaranteed:</b> that two never believe to lead. One that is paused longer than its TTL
 * learns of it afterwards.
 *
 * <p><b>Keys:</b> {@code <name>/<lease in hex>}, as etcd has them, with what the candidate
 * proclaims as value; {@code <name>.void/<lease>}.
 */
public final class LeaderElection {
  private final RecipePorts ports;
  private final Bytes name;

  private LeaderElection(RecipePorts ports, Bytes name) {
    this.ports = ports;
    this.name = name;
  }

  /** The election of this name. */
  public static LeaderElection of(RecipePorts ports, String name) {
    return of(ports, Bytes.utf8(name));
  }

  /** The election of this name. */
  public static LeaderElection of(RecipePorts ports, Bytes name) {
    return new LeaderElection(ports, name);
  }

  /**
   * Whoever leads.
   *
   * @param term grows with each leader
   * @param value what it proclaims
   * @param lease of its owner
   */
  public record Leader(long term, Bytes value, long lease) {}

  /**
   * Stands once, and waits to be elected; fails with {@link OwnershipLostException} if the owner is
   * lost first. To cancel the future gives up. An owner stands once at a time, else it fails with
   * {@link IllegalStateException}.
   *
   * @param value what others are told of this leader, such as its address
   */
  public CompletableFuture<Leadership> campaign(Owner owner, Bytes value) {
    return Lines.exclusive(owner, name, Claim.Kind.SINGLE)
        .ask(value, true, held -> new Leadership(owner, Claim.granted(held), value));
  }

  /**
   * Stands again and again, under leases of its own, until the candidacy is closed: whoever has
   * lost a term stands for the next.
   *
   * @param ttl of the leases; see {@link Owner#open(RecipePorts, Duration)}
   */
  public Candidacy stand(Duration ttl, Bytes value, TermListener listener) {
    return Candidacy.begin(this, ports, ttl, value, listener);
  }

  /** Who leads now; a linearizable read. */
  public CompletableFuture<Optional<Leader>> leader() {
    return ports.client().range(candidates()).thenApply(found -> first(found.keyValues()));
  }

  /** Follows who leads, until the view is closed. */
  public LeaderView observe() {
    return observe(leader -> {});
  }

  /**
   * Follows who leads, until the view is closed.
   *
   * @param listener is told of the leader, or that there is none, when that has changed, or what it
   *     proclaims. One that led only while the listener was busy may go unmentioned
   */
  public LeaderView observe(Consumer<Optional<Leader>> listener) {
    return new LeaderView(ports, candidates(), listener);
  }

  private KeyRange candidates() {
    return KeyRange.prefix(Lines.join(name, Lines.SLASH));
  }

  static Optional<Leader> first(Collection<KeyValue> candidates) {
    return candidates.stream()
        .min(Comparator.comparingLong(KeyValue::createRevision))
        .map(first -> new Leader(first.createRevision(), first.value(), first.lease()));
  }
}
