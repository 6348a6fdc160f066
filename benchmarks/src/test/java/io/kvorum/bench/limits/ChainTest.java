package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.bench.load.Measurement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The chain over the loopback address, but within this JVM. */
@Timeout(60)
class ChainTest {
  private static final int RECORD = Pipeline.MESSAGE_BYTES;
  private static final int PAGE = SyncedFile.PAGE_BYTES;
  private static final long FILE_BYTES = 1 << 20;

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Pair client;
  private Pair first;
  private Pair second;

  @BeforeEach
  void connect() throws Exception {
    client = Pair.open();
    first = Pair.open();
    second = Pair.open();
  }

  @AfterEach
  void end() throws Exception {
    client.close();
    first.close();
    second.close();
    threads.shutdown();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aRecordThatIsAnsweredLiesOnAllThreeInTheEnd() throws Exception {
    Future<?> leader = lead();
    List<Future<?>> followers = List.of(follow("first", first), follow("second", second));

    for (int i = 1; i <= 3; i++) {
      send(i);
      assertThat(answer()).isEqualTo(1);
    }
    client.near().close();

    await(leader);
    await(followers);
    byte[] expected = new byte[3 * PAGE];
    for (int i = 0; i < 3; i++) {
      Arrays.fill(expected, i * PAGE, i * PAGE + RECORD, (byte) (i + 1));
    }
    for (String name : List.of("leader", "first", "second")) {
      byte[] file = Files.readAllBytes(directory.resolve(name));
      assertThat(Arrays.copyOf(file, expected.length)).as(name).isEqualTo(expected);
      assertThat(file).hasSize((int) FILE_BYTES);
    }
  }

  @Test
  void manyUnderWayAreEachAnsweredOnce() throws Exception {
    Future<?> leader = lead();
    List<Future<?>> followers = List.of(follow("first", first), follow("second", second));
    ManualClock clock = new ManualClock(1);
    Measurement measurement = new Measurement(clock);
    Pipeline pipeline = new Pipeline(client.near(), 50, ChainLeader::answers, clock);

    measurement.begin();
    pipeline.run(measurement);
    pipeline.drain(measurement);
    measurement.end();

    assertThat(measurement.operations()).isEqualTo(50);
    client.near().close();
    await(leader);
    await(followers);
  }

  @Test
  void partOfARecordWaitsForItsRest() throws Exception {
    Future<?> leader = lead();
    List<Future<?>> followers = List.of(follow("first", first), follow("second", second));
    byte[] three = new byte[3 * RECORD];

    Wire.writeFully(client.near(), ByteBuffer.wrap(three, 0, RECORD + 1));
    assertThat(answer()).isEqualTo(1);
    Wire.writeFully(client.near(), ByteBuffer.wrap(three, RECORD + 1, 2 * RECORD - 1));

    int rest = answer();
    assertThat(rest == 2 || rest + answer() == 2).isTrue();
    client.near().close();
    await(leader);
    await(followers);
  }

  @Test
  void oneFollowerIsEnough() throws Exception {
    Future<?> leader = lead();
    Future<?> follower = follow("first", first);

    // The second takes what it gets, and never says a word.
    send(1);

    assertThat(answer()).isEqualTo(1);
    client.near().close();
    await(follower);
    second.far().shutdownOutput();
    await(leader);
  }

  @Test
  void theLeaderAloneIsNot() throws Exception {
    Future<?> leader = lead();

    send(1);
    // Both followers have got the batch; the leader syncs it beside that, and must not answer.
    ByteBuffer batch = ByteBuffer.allocate(ChainFollower.HEADER_BYTES + RECORD);
    assertThat(Wire.readFully(first.far(), batch)).isTrue();
    assertThat(batch.getInt()).isEqualTo(RECORD);
    assertThat(Wire.readFully(second.far(), batch.clear())).isTrue();
    client.near().shutdownOutput();
    assertThat(Wire.readFully(first.far(), batch.clear())).isFalse();
    assertThat(Wire.readFully(second.far(), batch.clear())).isFalse();
    first.far().close();
    second.far().close();

    await(leader);
    // It has ended, and has never said anything.
    assertThat(client.near().read(ByteBuffer.allocate(1))).isEqualTo(-1);
  }

  @Test
  void aFollowerThatEndsEndsTheLeader() throws Exception {
    Future<?> leader = lead();

    first.far().close();

    assertThatThrownBy(() -> await(leader))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("follower 1 has ended");
    assertThat(client.near().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    assertThat(second.far().read(ByteBuffer.allocate(1))).isEqualTo(-1);
  }

  @Test
  void aFollowerThatSaysWhatCannotBeEndsTheLeader() throws Exception {
    Future<?> leader = lead();

    Wire.writeFully(second.far(), ByteBuffer.allocate(Long.BYTES).putLong(1).flip());

    assertThatThrownBy(() -> await(leader))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("node 2 says batch 1 after 0 of 0");
  }

  @Test
  void aFollowerTakesNoBatchOfASizeThatCannotBe() throws Exception {
    Future<?> follower = follow("first", first);

    int bytes = ChainLeader.BATCH_BYTES_MAX + 1;
    Wire.writeFully(first.near(), ByteBuffer.allocate(Integer.BYTES).putInt(bytes).flip());

    assertThatThrownBy(() -> await(follower))
        .hasRootCauseMessage("a batch of 307201 bytes: that is no leader of ours");
  }

  private Future<?> lead() {
    return threads.submit(
        () -> {
          try (SyncedFile file = SyncedFile.create(directory.resolve("leader"), FILE_BYTES)) {
            new ChainLeader(client.far(), List.of(first.near(), second.near()), file).run();
          }
          return null;
        });
  }

  /** Like a process that ends: its connection is closed, however it ends. */
  private Future<?> follow(String name, Pair connection) {
    return threads.submit(
        () -> {
          try (SyncedFile file = SyncedFile.create(directory.resolve(name), FILE_BYTES);
              SocketChannel leader = connection.far()) {
            ChainFollower.serve(leader, file);
          }
          return null;
        });
  }

  private void send(int value) throws IOException {
    byte[] record = new byte[RECORD];
    Arrays.fill(record, (byte) value);
    Wire.writeFully(client.near(), ByteBuffer.wrap(record));
  }

  private int answer() throws IOException {
    ByteBuffer answer = ByteBuffer.allocate(Integer.BYTES);
    assertThat(Wire.readFully(client.near(), answer)).isTrue();
    return answer.getInt();
  }

  private static void await(List<Future<?>> several) throws Exception {
    for (Future<?> thread : several) {
      await(thread);
    }
  }

  private static void await(Future<?> thread) throws Exception {
    thread.get(30, TimeUnit.SECONDS);
  }
}
