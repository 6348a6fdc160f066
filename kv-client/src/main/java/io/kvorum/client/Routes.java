package io.kvorum.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the endpoints and says which to try next.
 *
 * <p>Each endpoint that fails, or turns out not to lead, is left alone for a while that doubles
 * with each further failure. This bounds the attempts of each endpoint, whatever the others say of
 * it: two nodes that call each other leader cannot make a client run in circles. Where a node names
 * the leader, that one is next, if it is not itself being left alone.
 */
final class Routes {
  private static final Logger LOG = LoggerFactory.getLogger(Routes.class);

  /** What servers name is kept up to this many, so that a bad server cannot fill the memory. */
  private static final int LEARNED_MAX = 16;

  private final Set<Endpoint> configured;
  private final Set<Endpoint> learned = new LinkedHashSet<>();
  private final Map<Endpoint, Penalty> penalties = new HashMap<>();
  private final Backoff backoff;
  private final RandomGenerator random;
  private @Nullable Endpoint leader;
  private @Nullable Endpoint lastTried;

  Routes(List<Endpoint> configured, Backoff backoff, RandomGenerator random) {
    this.configured = new LinkedHashSet<>(configured);
    this.backoff = backoff;
    this.random = random;
  }

  Set<Endpoint> configured() {
    return configured;
  }

  /** A server says that a member listens there. */
  void learn(Endpoint endpoint) {
    if (configured.contains(endpoint) || !learned.add(endpoint)) {
      return;
    }
    if (learned.size() > LEARNED_MAX) {
      Endpoint oldest = learned.iterator().next();
      learned.remove(oldest);
      penalties.remove(oldest);
    }
  }

  /**
   * A server says where all members are. What was learned before and is not among them is
   * forgotten: a member that was removed is not asked for ever. What was configured stays.
   */
  void members(List<String> advertised) {
    List<Endpoint> members = new ArrayList<>();
    for (String text : advertised) {
      Endpoint member = advertised(text);
      if (member != null) {
        members.add(member);
      }
    }
    List<Endpoint> gone = new ArrayList<>(learned);
    gone.removeAll(members);
    for (Endpoint endpoint : gone) {
      learned.remove(endpoint);
      penalties.remove(endpoint);
      leader = endpoint.equals(leader) ? null : leader;
    }
    members.forEach(this::learn);
  }

  /** Reads where a server says a member listens; null when it does not say. */
  static @Nullable Endpoint advertised(String text) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      return Endpoint.parse(text);
    } catch (IllegalArgumentException malformed) {
      LOG.warn("a server names a member at a malformed endpoint", malformed);
      return null;
    }
  }

  /** A server says that the leader listens there. */
  void leader(Endpoint endpoint) {
    learn(endpoint);
    leader = endpoint;
  }

  /** The endpoint did what a leader does. */
  void succeeded(Endpoint endpoint) {
    penalties.remove(endpoint);
  }

  /**
   * The endpoint cannot be reached, or does not lead.
   *
   * @param timedOut nothing was heard: trying again costs all the time that this took, so the
   *     endpoint is left alone for long at once
   */
  void failed(Endpoint endpoint, boolean timedOut, long nowNanos) {
    if (endpoint.equals(leader)) {
      leader = null;
    }
    Penalty past = penalties.get(endpoint);
    long forgottenNanos = backoff.max().toNanos();
    int failures = 1;
    if (past != null && nowNanos - past.untilNanos <= forgottenNanos) {
      failures = past.failures == Integer.MAX_VALUE ? past.failures : past.failures + 1;
    }
    long delay = backoff.delayNanos(timedOut ? Integer.MAX_VALUE : failures, random);
    penalties.put(endpoint, new Penalty(failures, nowNanos + delay));
  }

  /** The endpoint to try now; null when all are being left alone. */
  @Nullable Endpoint next(long nowNanos) {
    if (leader != null && waitNanos(leader, nowNanos) <= 0) {
      lastTried = leader;
      return leader;
    }
    List<Endpoint> all = all();
    int start = lastTried == null ? 0 : all.indexOf(lastTried) + 1;
    for (int i = 0; i < all.size(); i++) {
      Endpoint candidate = all.get((start + i) % all.size());
      if (waitNanos(candidate, nowNanos) <= 0) {
        lastTried = candidate;
        return candidate;
      }
    }
    return null;
  }

  /** How long until {@link #next} says something; at least 1. */
  long waitNanos(long nowNanos) {
    long shortest = Long.MAX_VALUE;
    for (Endpoint endpoint : all()) {
      shortest = Math.min(shortest, waitNanos(endpoint, nowNanos));
    }
    return Math.max(1, shortest);
  }

  private long waitNanos(Endpoint endpoint, long nowNanos) {
    Penalty penalty = penalties.get(endpoint);
    return penalty == null ? 0 : penalty.untilNanos - nowNanos;
  }

  private List<Endpoint> all() {
    List<Endpoint> all = new ArrayList<>(configured);
    all.addAll(learned);
    return all;
  }

  /**
   * An endpoint is left alone.
   *
   * @param failures in a row
   */
  private record Penalty(int failures, long untilNanos) {}
}
