package io.kvorum.bench.limits;

import io.kvorum.bench.system.ParentLife;
import io.kvorum.cli.process.ServerProcess;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One process of the chain. Prints {@code ready} and its port when it listens. */
public final class ChainMain {
  private static final long FILE_BYTES = 64L << 20;

  private ChainMain() {}

  /**
   * Runs it until whoever connects to it ends.
   *
   * @param arguments its port; its file, which does not exist; and if it is the leader, the ports
   *     of its followers, which listen
   */
  public static void main(String[] arguments) throws IOException {
    ParentLife.tie();
    int port = Integer.parseInt(arguments[0]);
    List<SocketChannel> followers = new ArrayList<>();
    for (int i = 2; i < arguments.length; i++) {
      followers.add(Wire.connect(Integer.parseInt(arguments[i])));
    }
    try (SyncedFile file = SyncedFile.create(Path.of(arguments[1]), FILE_BYTES);
        SocketChannel peer = acceptOne(port)) {
      if (followers.isEmpty()) {
        ChainFollower.serve(peer, file);
      } else {
        new ChainLeader(peer, followers, file).run();
      }
    }
  }

  private static SocketChannel acceptOne(int port) throws IOException {
    try (ServerSocketChannel listener = Wire.listen(port)) {
      System.out.println(ServerProcess.READY_PREFIX + port);
      return Wire.accept(listener);
    }
  }
}
