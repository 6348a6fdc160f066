package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.SystemClock;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The chain as three processes. Nothing is said of how fast they are. */
@Timeout(120)
class ChainIT {
  @TempDir Path directory;

  @Test
  void threeProcessesAnswerAndEnd() throws Exception {
    long before = ProcessHandle.current().children().count();
    try (Chain chain = Chain.start(directory)) {
      Pipeline pipeline = new Pipeline(chain.client(), 8, ChainLeader::answers, new SystemClock());
      Figure figure = new Stopwatch(new SystemClock(), 0, 1).measure("chain", 8, pipeline);

      assertThat(figure.operations()).isPositive();
    }

    assertThat(ProcessHandle.current().children().count()).isEqualTo(before);
    assertThat(directory).isDirectoryContaining("glob:**/leader.data");
  }
}
