package io.kvorum.bench.limits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.IntConsumer;

/** A connection to a thread that sends back what it gets, as much at once as it got at once. */
final class Echo implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final SocketChannel client;
  private final Thread thread;

  private Echo(SocketChannel client, Thread thread) {
    this.client = client;
    this.thread = thread;
  }

  /** Connects, and starts the thread, which ends when this is closed. */
  static Echo start() throws IOException {
    try (ServerSocketChannel listener = Wire.listen(0)) {
      SocketChannel client = Wire.connect(Wire.port(listener));
      try {
        SocketChannel server = Wire.accept(listener);
        Thread thread = new Thread(() -> echo(server), "echo");
        thread.setDaemon(true);
        thread.start();
        return new Echo(client, thread);
      } catch (IOException failed) {
        client.close();
        throw failed;
      }
    }
  }

  /** Its answers: whole messages. */
  static void answers(ByteBuffer received, IntConsumer batches) {
    int messages = received.remaining() / Pipeline.MESSAGE_BYTES;
    if (messages > 0) {
      received.position(received.position() + messages * Pipeline.MESSAGE_BYTES);
      batches.accept(messages);
    }
  }

  SocketChannel client() {
    return client;
  }

  private static void echo(SocketChannel server) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    try (server) {
      while (server.read(buffer.clear()) >= 0) {
        Wire.writeFully(server, buffer.flip());
      }
    } catch (IOException broken) {
      // Our end is closed now, and the client sees that: it says what it waited for.
      System.err.println("echo: " + broken.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
