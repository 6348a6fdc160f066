package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NettyLoopTest {
  static {
    Leaks.watch();
  }

  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tasksRunInOrderOnOneDaemonThread(boolean epoll) {
    try (NettyLoop loop = new NettyLoop(Peer.N1, failures::add, epoll)) {
      List<Integer> order = new CopyOnWriteArrayList<>();
      CompletableFuture<Thread> last = new CompletableFuture<>();
      for (int i = 0; i < 100; i++) {
        int number = i;
        loop.lane().execute(() -> order.add(number));
      }
      loop.lane().execute(() -> last.complete(Thread.currentThread()));
      Thread thread = last.join();
      assertThat(thread.getName()).isEqualTo("kvorum-n1-loop");
      assertThat(thread.isDaemon()).isTrue();
      assertThat(order).containsExactlyElementsOf(IntStream.range(0, 100).boxed().toList());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTimerIsNotEarly(boolean epoll) {
    try (NettyLoop loop = new NettyLoop(Peer.N1, failures::add, epoll)) {
      CompletableFuture<Long> ran = new CompletableFuture<>();
      long start = System.nanoTime();
      loop.lane().schedule(() -> ran.complete(System.nanoTime()), 30_000_000);
      assertThat(ran.join() - start).isGreaterThanOrEqualTo(30_000_000);
    }
  }

  /** FAULTS F160: Netty would log it and go on. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatATaskThrowsIsTold(boolean epoll) {
    Error bug = new StackOverflowError("planted");
    try (NettyLoop loop = new NettyLoop(Peer.N1, failures::add, epoll)) {
      CompletableFuture<Boolean> after = new CompletableFuture<>();
      loop.lane()
          .execute(
              () -> {
                throw bug;
              });
      loop.lane()
          .schedule(
              () -> {
                throw bug;
              },
              0);
      loop.lane().schedule(() -> after.complete(true), 1_000_000);
      assertThat(after.join()).isTrue();
      assertThat(failures).containsExactly(bug, bug);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterTheEndTasksAreDropped(boolean epoll) {
    NettyLoop loop = new NettyLoop(Peer.N1, failures::add, epoll);
    List<String> ran = new CopyOnWriteArrayList<>();
    loop.lane().execute(() -> ran.add("before"));
    loop.lane().schedule(() -> ran.add("timer"), 3_600_000_000_000L);
    loop.close();
    loop.close();
    loop.lane().execute(() -> ran.add("after"));
    loop.lane().schedule(() -> ran.add("after"), 0);
    assertThat(ran).containsExactly("before");
    assertThat(failures).isEmpty();
    List<String> left = new ArrayList<>();
    Thread.getAllStackTraces().keySet().forEach(thread -> left.add(thread.getName()));
    assertThat(left).doesNotContain("kvorum-n1-loop");
  }

  /** FAULTS F153: with Netty's own setting each of these timers would wait for a second. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFloodOfTasksDoesNotHoldUpTimers(boolean epoll) {
    try (NettyLoop loop = new NettyLoop(Peer.N1, failures::add, epoll)) {
      loop.lane().execute(new Flood(loop));
      AtomicInteger timers = new AtomicInteger();
      loop.lane().schedule(new Timer(loop, timers), 0);
      Await.until("25 timers", Duration.ofSeconds(15), () -> timers.get() >= 25);
    }
  }

  private record Flood(NettyLoop loop) implements Runnable {
    @Override
    public void run() {
      loop.lane().execute(this);
    }
  }

  private record Timer(NettyLoop loop, AtomicInteger timers) implements Runnable {
    @Override
    public void run() {
      timers.incrementAndGet();
      loop.lane().schedule(this, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTaskMayEndItsOwnLoop(boolean epoll) {
    NettyLoop loop = new NettyLoop(Peer.N1, failures::add, epoll);
    CompletableFuture<Boolean> returned = new CompletableFuture<>();
    loop.lane()
        .execute(
            () -> {
              loop.close();
              returned.complete(true);
            });
    assertThat(returned.join()).isTrue();
    loop.close();
    assertThat(failures).isEmpty();
  }
}
