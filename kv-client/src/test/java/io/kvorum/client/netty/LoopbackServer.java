package io.kvorum.client.netty;

import io.kvorum.api.Bytes;
import io.kvorum.client.Endpoint;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Header;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.KeyValue;
import io.kvorum.protocol.Leader;
import io.kvorum.protocol.PutResponse;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.Wire;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** A leader on a real socket, on blocking threads, that can be told to misbehave. */
final class LoopbackServer implements AutoCloseable {
  /** What goes out instead of the answer to a request. */
  final Queue<byte[]> insteadOfAnswers = new ConcurrentLinkedQueue<>();

  final AtomicLong revision = new AtomicLong();
  final AtomicLong connections = new AtomicLong();

  /** Whether the connection is closed behind what went out instead of an answer. */
  volatile boolean closesBehindIt = true;

  /** Sends each byte in a packet of its own. */
  volatile boolean dribbles;

  /** Greets, and reads no request before this is open. */
  volatile CountDownLatch gate = new CountDownLatch(0);

  private final Map<Bytes, Bytes> values = new ConcurrentSkipListMap<>();
  private final Map<Socket, Boolean> open = new ConcurrentHashMap<>();
  private final ServerSocket listener;

  LoopbackServer() throws IOException {
    listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept, "fake-server-accept");
  }

  Endpoint endpoint() {
    return new Endpoint("127.0.0.1", listener.getLocalPort());
  }

  private static void start(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.put(socket, true);
        connections.incrementAndGet();
        start(() -> serve(socket), "fake-server-connection");
      } catch (IOException closed) {
        if (!listener.isClosed()) {
          throw new UncheckedIOException(closed);
        }
      }
    }
  }

  /** Whether the conversation goes on. */
  private boolean respond(ClientFrame frame, OutputStream out)
      throws IOException, InterruptedException {
    if (!frame.hasHello()) {
      gate.await();
      byte[] instead = insteadOfAnswers.poll();
      if (instead != null) {
        out.write(instead);
        return !closesBehindIt;
      }
    }
    write(out, frame(answer(frame).toByteArray()));
    return true;
  }

  private void serve(Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      OutputStream out = socket.getOutputStream();
      while (true) {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        if (!respond(ClientFrame.parseFrom(bytes), out)) {
          return;
        }
      }
    } catch (IOException | InterruptedException gone) {
      // The client has closed the connection, or the test the server: both end a conversation.
      open.remove(socket);
    } finally {
      open.remove(socket);
    }
  }

  /** A frame as it goes over the wire. */
  static byte[] frame(byte[] body) {
    return ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).array();
  }

  private void write(OutputStream out, byte[] bytes) throws IOException {
    if (!dribbles) {
      out.write(bytes);
      return;
    }
    for (byte each : bytes) {
      out.write(each);
      out.flush();
    }
  }

  private ServerFrame answer(ClientFrame frame) {
    ServerFrame.Builder answer = ServerFrame.newBuilder().setId(frame.getId());
    switch (frame.getBodyCase()) {
      case HELLO ->
          answer.setHello(
              HelloResponse.newBuilder()
                  .setProtocolVersion(1)
                  .setClusterId("loopback")
                  .setNodeId("n1")
                  .setLeader(Leader.newBuilder().setNodeId("n1")));
      case PUT -> {
        values.put(
            Wire.fromProto(frame.getPut().getKey()), Wire.fromProto(frame.getPut().getValue()));
        answer
            .setHeader(Header.newBuilder().setRevision(revision.incrementAndGet()))
            .setPut(PutResponse.getDefaultInstance());
      }
      case RANGE -> {
        Bytes key = Wire.fromProto(frame.getRange().getKey());
        Bytes value = values.get(key);
        answer.getRangeBuilder().setCount(value == null ? 0 : 1);
        if (value != null) {
          answer
              .getRangeBuilder()
              .addKvs(
                  KeyValue.newBuilder().setKey(Wire.toProto(key)).setValue(Wire.toProto(value)));
        }
      }
      case STATUS -> answer.getStatusBuilder().setNodeId("n1");
      default -> throw new AssertionError("unexpected " + frame.getBodyCase());
    }
    return answer.build();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    gate.countDown();
    for (Socket socket : open.keySet()) {
      socket.close();
    }
  }
}
