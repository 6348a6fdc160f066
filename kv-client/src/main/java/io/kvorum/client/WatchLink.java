package io.kvorum.client;

import io.kvorum.client.port.Connection;
import io.kvorum.client.port.Connector;
import io.kvorum.client.port.Loop;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.HelloRequest;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.WatchCancelRequest;
import io.kvorum.protocol.WatchCreateRequest;
import io.kvorum.protocol.WatchCreditRequest;
import io.kvorum.protocol.WatchProgressRequest;
import org.jspecify.annotations.Nullable;

/**
 * The connection for watches, from the attempt to open it to its end.
 *
 * <p>Once in each period of {@code silence} it asks how far its watches are. So an idle watch moves
 * on with the store, and does not have to read much history after a disconnection; and a server
 * that says nothing for two periods is given up (FAULTS F108): after two, so that a client that was
 * itself stopped for a while reads what has arrived meanwhile before it judges.
 */
final class WatchLink implements Connection.Listener {
  private static final int SILENT_PERIODS_MAX = 2;
  private static final long HELLO_ID = 1;

  final Endpoint endpoint;

  private final Watches owner;
  private final Loop loop;
  private final ClientConfig config;
  private final Connection connection;
  private final String clusterId;
  private Loop.@Nullable Timer timer;
  private long nextId = HELLO_ID + 1;
  private int silentPeriods;
  private boolean isReady;
  private boolean isClosed;

  /** Starts to connect. */
  WatchLink(
      Watches owner,
      Endpoint endpoint,
      Loop loop,
      Connector connector,
      ClientConfig config,
      String clusterId) {
    this.owner = owner;
    this.endpoint = endpoint;
    this.loop = loop;
    this.config = config;
    this.clusterId = clusterId;
    long timeoutNanos = config.connectTimeout().toNanos();
    this.connection = connector.connect(endpoint.host(), endpoint.port(), timeoutNanos, this);
    this.timer = loop.schedule(timeoutNanos, this::greetingTimedOut);
  }

  boolean isReady() {
    return isReady;
  }

  /** Asks for a watch; the id is its name on this link. */
  long create(WatchCreateRequest request) {
    long id = nextId++;
    connection.send(ClientFrame.newBuilder().setId(id).setWatchCreate(request).build());
    return id;
  }

  void credit(long id, long bytes) {
    connection.send(
        ClientFrame.newBuilder()
            .setId(id)
            .setWatchCredit(WatchCreditRequest.newBuilder().setBytes(Math.toIntExact(bytes)))
            .build());
  }

  void cancel(long id) {
    connection.send(
        ClientFrame.newBuilder()
            .setId(id)
            .setWatchCancel(WatchCancelRequest.getDefaultInstance())
            .build());
  }

  void askProgress() {
    connection.send(
        ClientFrame.newBuilder()
            .setId(nextId++)
            .setWatchProgress(WatchProgressRequest.getDefaultInstance())
            .build());
  }

  /** Closes without telling the owner, which has decided it. Closing twice is allowed. */
  void close() {
    isClosed = true;
    isReady = false;
    if (timer != null) {
      timer.cancel();
    }
    connection.close();
  }

  @Override
  public void opened() {
    if (!isClosed) {
      connection.send(
          ClientFrame.newBuilder()
              .setId(HELLO_ID)
              .setHello(
                  HelloRequest.newBuilder()
                      .setProtocolVersion(ProtocolLimits.PROTOCOL_VERSION)
                      .setClusterId(clusterId)
                      .setClientName(config.clientName()))
              .build());
    }
  }

  @Override
  public void received(ServerFrame frame) {
    if (isClosed) {
      return;
    }
    silentPeriods = 0;
    if (frame.getEndpointsCount() > 0) {
      owner.members(frame.getEndpointsList());
    }
    if (isReady) {
      owner.received(this, frame);
      return;
    }
    switch (frame.getBodyCase()) {
      case HELLO -> {
        isReady = true;
        restartTimer(this::periodEnds, config.silence().toNanos());
        owner.greeted(this, frame.getHello());
      }
      case ERROR -> owner.refused(this, frame.getError());
      default -> owner.lost(this, "answered the Hello with " + frame.getBodyCase(), false);
    }
  }

  private void restartTimer(Runnable task, long nanos) {
    if (timer != null) {
      timer.cancel();
    }
    timer = loop.schedule(nanos, task);
  }

  private void greetingTimedOut() {
    if (!isClosed) {
      owner.lost(
          this,
          "no answer to Hello within connectTimeout, " + config.connectTimeout().toMillis() + " ms",
          true);
    }
  }

  private void periodEnds() {
    if (isClosed) {
      return;
    }
    if (silentPeriods >= SILENT_PERIODS_MAX) {
      owner.lost(this, "silent for " + config.silence().multipliedBy(silentPeriods), true);
      return;
    }
    silentPeriods++;
    askProgress();
    restartTimer(this::periodEnds, config.silence().toNanos());
  }

  @Override
  public void writable() {
    // What is sent here is little: nothing waits for it.
  }

  @Override
  public void closed(String reason, boolean timedOut) {
    if (!isClosed) {
      owner.lost(this, reason, timedOut);
    }
  }
}
