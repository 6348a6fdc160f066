package io.kvorum.server;

import io.kvorum.api.Bytes;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.NodeStatus;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.Endpoint;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.node.SnapshotConfig;
import io.kvorum.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures how long a new member takes to join a cluster of three with a million keys of 256 bytes
 * while these are put, how much slower the puts are meanwhile, and how much memory the sender and
 * the receiver of the state need. Each member is a process of its own, with a small heap. Not a
 * test.
 */
final class JoinTime {
  private static final int UNDER_WAY = 128;
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final Duration BEFORE = Duration.ofSeconds(10);

  private final List<Member> members = TestCluster.freeMembers(4);
  private final List<MeasuredNode> nodes = new ArrayList<>();
  private final Path directory;
  private final int keys;
  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final AtomicBoolean stop = new AtomicBoolean();

  private JoinTime(Path directory, int keys) {
    this.directory = directory;
    this.keys = keys;
  }

  /** How many keys there are, by default a million. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int keys = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    new JoinTime(Files.createTempDirectory("kvorum-join-time"), keys).run();
  }

  /**
   * A log that is cut behind each snapshot: who joins needs one.
   *
   * @param logBytes between two snapshots
   */
  static ServerConfig config(
      Path directory, String id, List<Member> members, boolean join, long logBytes) {
    return ServerConfig.embedded(directory.resolve(id))
        .nodeId(id)
        .clusterId("join-time")
        .members(members)
        .join(join)
        .clientPortOpen(true)
        .segmentBytes(8 << 20)
        .snapshots(SnapshotConfig.DEFAULT.withLogBytes(logBytes).withLogBounds(0, 1L << 30))
        .build();
  }

  private void run() throws IOException, InterruptedException {
    try {
      List<Member> three = members.subList(0, 3);
      for (Member member : three) {
        nodes.add(start(member, three));
      }
      try (RemoteKvClient client = client()) {
        fill(client);
        Thread load = new Thread(() -> load(client), "load");
        load.start();
        try {
          join(client);
        } finally {
          stop.set(true);
          load.join();
        }
      }
    } finally {
      nodes.forEach(MeasuredNode::kill);
    }
  }

  /** One that is started among more than three joins them. */
  private MeasuredNode start(Member member, List<Member> among) {
    long logBytes = Math.max(8 << 20, keys * 128L);
    ServerConfig config = config(directory, member.id().name(), among, among.size() > 3, logBytes);
    return MeasuredNode.start(directory, config, logBytes);
  }

  private RemoteKvClient client() {
    return RemoteKvClient.connect(
        ClientConfig.builder()
            .endpoints(members.subList(0, 3).stream().map(JoinTime::endpoint).toList())
            .requestTimeout(LIMIT)
            .build());
  }

  private static Endpoint endpoint(Member member) {
    return new Endpoint(member.host(), member.clientPort());
  }

  private void join(RemoteKvClient client) throws IOException {
    final double before = rate(BEFORE);
    String leader = leader(client);
    List<String> memory = new ArrayList<>();
    nodes.forEach(MeasuredNode::resetPeak);
    Member joins = members.get(3);
    long start = System.nanoTime();
    nodes.add(start(joins, members));
    final double started = seconds(start);
    long puts = done.sum();
    long asked = System.nanoTime();
    client.addMember(MemberInfo.voter(joins.id().name(), joins.address())).join();
    final double joined = seconds(asked);
    final double during = (done.sum() - puts) / joined;
    for (MeasuredNode node : nodes) {
      memory.add(node.id() + (node.id().equals(leader) ? ", leads: " : ": ") + node.peak());
    }
    final double after = rate(BEFORE);
    NodeStatus status = client.status(endpoint(joins)).join();
    System.out.printf(Locale.ROOT, "the process started in %.2f s%n", started);
    System.out.printf(
        Locale.ROOT,
        "a member after %.2f s; its log begins at %,d%n",
        joined,
        status.snapshots().logFirst());
    System.out.printf(
        Locale.ROOT,
        "puts a second: %,.0f before, %,.0f meanwhile (%.2f times), %,.0f after (%.2f times)%n",
        before,
        during,
        during / before,
        after,
        after / before);
    System.out.println("puts that failed: " + failed);
    memory.forEach(System.out::println);
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private double rate(Duration time) {
    long start = System.nanoTime();
    long puts = done.sum();
    Await.until("time passes", LIMIT, () -> System.nanoTime() - start >= time.toNanos());
    return (done.sum() - puts) / seconds(start);
  }

  private String leader(RemoteKvClient client) {
    for (Member member : members.subList(0, 3)) {
      if (client.status(endpoint(member)).join().role().equals("leader")) {
        return member.id().name();
      }
    }
    return "";
  }

  private void fill(RemoteKvClient client) {
    Semaphore free = new Semaphore(UNDER_WAY);
    byte[] value = new byte[256];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < keys; i++) {
      random.nextBytes(value);
      put(client, i, value, free);
    }
    free.acquireUninterruptibly(UNDER_WAY);
    if (failed.sum() > 0) {
      throw new IllegalStateException(failed + " puts failed");
    }
  }

  private void load(RemoteKvClient client) {
    Semaphore free = new Semaphore(UNDER_WAY);
    byte[] value = new byte[256];
    SplittableRandom random = new SplittableRandom(2);
    while (!stop.get()) {
      random.nextBytes(value);
      put(client, random.nextInt(keys), value, free);
    }
    free.acquireUninterruptibly(UNDER_WAY);
  }

  private void put(RemoteKvClient client, int key, byte[] value, Semaphore free) {
    free.acquireUninterruptibly();
    CompletableFuture<?> unused =
        client
            .put(Bytes.utf8("key-%08d".formatted(key)), Bytes.copyOf(value))
            .whenComplete(
                (result, failure) -> {
                  (failure == null ? done : failed).increment();
                  free.release();
                });
  }
}
