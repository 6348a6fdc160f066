package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.Consistency;
import io.kvorum.protocol.DeleteRangeRequest;
import io.kvorum.protocol.Error;
import io.kvorum.protocol.HelloRequest;
import io.kvorum.protocol.PutRequest;
import io.kvorum.protocol.RangeRequest;
import io.kvorum.protocol.RequestOp;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.TxnRequest;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions of a client that checks nothing: the server names the rule, and changes nothing. */
class BadTxnsTest {
  private static final ByteString KEY = ByteString.copyFromUtf8("k");
  private static final RequestOp PUT =
      RequestOp.newBuilder().setPut(PutRequest.newBuilder().setKey(KEY).setValue(KEY)).build();

  @TempDir Path directory;
  private TestCluster cluster;
  private Socket socket;
  private int frames;

  @BeforeEach
  void connect() throws IOException {
    cluster = TestCluster.start(directory, 1);
    socket = new Socket(InetAddress.getLoopbackAddress(), cluster.member(0).clientPort());
    socket.setSoTimeout(30_000);
    ServerFrame hello =
        ask(ClientFrame.newBuilder().setHello(HelloRequest.newBuilder().setProtocolVersion(1)));
    assertThat(hello.hasHello()).isTrue();
  }

  @AfterEach
  void close() throws IOException {
    assertThat(ask(ClientFrame.newBuilder().setTxn(txn(PUT))).getTxn().getSucceeded())
        .as("a good one on the same connection")
        .isTrue();
    socket.close();
    cluster.close();
  }

  private ServerFrame ask(ClientFrame.Builder frame) throws IOException {
    byte[] bytes = frame.setId(++frames).build().toByteArray();
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(bytes.length);
    out.write(bytes);
    out.flush();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    return ServerFrame.parseFrom(in.readNBytes(in.readInt()));
  }

  private static TxnRequest txn(RequestOp... ops) {
    return TxnRequest.newBuilder().addAllSuccess(java.util.List.of(ops)).build();
  }

  private void rejected(TxnRequest txn, Error.Reason reason, String words) throws IOException {
    Error error = ask(ClientFrame.newBuilder().setTxn(txn)).getError();
    assertThat(error.getKind()).isEqualTo(Error.Kind.REJECTED);
    assertThat(error.getReason()).isEqualTo(reason);
    assertThat(error.getMessage()).contains(words);
    ServerFrame read =
        ask(ClientFrame.newBuilder().setRange(RangeRequest.newBuilder().setKey(KEY)));
    assertThat(read.getRange().getCount()).as("nothing was changed").isZero();
    assertThat(read.getHeader().getRevision()).isEqualTo(1);
  }

  @Test
  void eachIsRefusedByItsRule() throws IOException {
    rejected(txn(PUT, PUT), Error.Reason.DUPLICATE_KEY, "duplicate key");
    rejected(txn(PUT, RequestOp.getDefaultInstance()), Error.Reason.UNSUPPORTED, "empty");
    rejected(
        txn(PUT, RequestOp.newBuilder().setPut(PutRequest.getDefaultInstance()).build()),
        Error.Reason.INVALID_ARGUMENT,
        "key is empty");
    DeleteRangeRequest reversed =
        DeleteRangeRequest.newBuilder()
            .setKey(KEY)
            .setRangeEnd(ByteString.copyFromUtf8("a"))
            .build();
    rejected(
        txn(PUT, RequestOp.newBuilder().setDeleteRange(reversed).build()),
        Error.Reason.INVALID_ARGUMENT,
        "reversed");
    rejected(
        txn(PUT).toBuilder().setConsistency(Consistency.LEASE).build(),
        Error.Reason.INVALID_ARGUMENT,
        "linearizable");
    RequestOp get = RequestOp.newBuilder().setRange(RangeRequest.newBuilder().setKey(KEY)).build();
    rejected(
        TxnRequest.newBuilder().addAllFailure(Collections.nCopies(500_000, get)).build(),
        Error.Reason.TOO_MANY_OPERATIONS,
        "128");
    PutRequest leased = PutRequest.newBuilder().setKey(KEY).setLease(7).build();
    rejected(
        txn(RequestOp.newBuilder().setPut(leased).build()),
        Error.Reason.LEASE_NOT_FOUND,
        "requested lease not found: 0000000000000007");
  }
}
