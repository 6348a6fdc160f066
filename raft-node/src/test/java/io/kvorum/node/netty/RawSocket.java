package io.kvorum.node.netty;

import io.kvorum.node.protocol.PeerHello;
import io.kvorum.node.protocol.PeerHelloAnswer;
import io.kvorum.raft.NodeId;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A socket that says whatever it likes; it knows the frames, but not the code under test. */
final class RawSocket implements AutoCloseable {
  private static final int READ_MILLIS_MAX = 20_000;

  final Socket socket;

  RawSocket(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(READ_MILLIS_MAX);
    socket.setTcpNoDelay(true);
  }

  static RawSocket to(Peer peer) throws IOException {
    return to(peer.port());
  }

  static RawSocket to(int port) throws IOException {
    return new RawSocket(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  static PeerHello.Builder hello(NodeId from, NodeId to) {
    return PeerHello.newBuilder()
        .setProtocolVersion(1)
        .setClusterId(Peer.CLUSTER)
        .setFrom(from.name())
        .setTo(to.name())
        .setIncarnation(from.name().hashCode());
  }

  static byte[] frame(byte[] header, byte[] payload) {
    return ByteBuffer.allocate(8 + header.length + payload.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(4 + header.length + payload.length)
        .putInt(header.length)
        .put(header)
        .put(payload)
        .array();
  }

  RawSocket write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  RawSocket frame(byte[] header) throws IOException {
    return write(frame(header, new byte[0]));
  }

  /** The header of the next frame. */
  byte[] read() throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    int length = Integer.reverseBytes(in.readInt());
    int headerLength = Integer.reverseBytes(in.readInt());
    byte[] header = in.readNBytes(headerLength);
    in.readNBytes(length - Integer.BYTES - headerLength);
    return header;
  }

  PeerHelloAnswer answer() throws IOException {
    return PeerHelloAnswer.parseFrom(read());
  }

  /** Says hello, and is accepted. */
  RawSocket greet(NodeId from, NodeId to) throws IOException {
    frame(hello(from, to).build().toByteArray());
    String refusal = answer().getRefusal();
    if (!refusal.isEmpty()) {
      throw new AssertionError("refused: " + refusal);
    }
    return this;
  }

  PeerHello hello() throws IOException {
    return PeerHello.parseFrom(read());
  }

  /** Takes the hello of whoever connected, and accepts it. */
  RawSocket welcome() throws IOException {
    if (hello().getFrom().isEmpty()) {
      throw new AssertionError("a hello without a sender");
    }
    return accept();
  }

  RawSocket accept() throws IOException {
    return answer("");
  }

  RawSocket answer(String refusal) throws IOException {
    return answer(refusal, 0);
  }

  RawSocket answer(String refusal, long group) throws IOException {
    PeerHelloAnswer answer =
        PeerHelloAnswer.newBuilder()
            .setProtocolVersion(1)
            .setRefusal(refusal)
            .setGroup(group)
            .build();
    return frame(answer.toByteArray());
  }

  /** Reads whatever comes until the other side has closed. */
  boolean isClosedByPeer() {
    byte[] ignored = new byte[8_192];
    try {
      int count;
      do {
        count = socket.getInputStream().read(ignored);
      } while (count >= 0);
      return true;
    } catch (java.net.SocketTimeoutException stillOpen) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
