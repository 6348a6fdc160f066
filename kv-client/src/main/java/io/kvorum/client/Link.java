package io.kvorum.client;

import io.kvorum.client.port.Connection;
import io.kvorum.client.port.Connector;
import io.kvorum.client.port.Loop;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.HelloRequest;
import io.kvorum.protocol.HelloResponse;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.protocol.StatusRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server with all that belongs to it: its Hello, the calls sent on it, its
 * watch over silence. Nothing of it outlives the connection, and no other connection touches it
 * (FAULTS F151).
 *
 * <p>A server that has something to answer and says nothing for {@code silence} gets a status
 * request; when nothing at all arrives for the same time again, the link is lost (FAULTS F108). Two
 * steps, so that a client that was itself stopped for a while reads what has arrived meanwhile
 * before it judges.
 */
final class Link implements Connection.Listener {
  private enum State {
    CONNECTING,
    GREETING,
    READY,
    CLOSED
  }

  final Endpoint endpoint;

  private final Dispatcher owner;
  private final Loop loop;
  private final ClientConfig config;
  private final Connection connection;
  private final Loop.Timer helloTimer;
  private final Map<Long, Call<?>> sent = new LinkedHashMap<>();
  private final Set<Call<?>> unsent = new LinkedHashSet<>();
  private State state = State.CONNECTING;
  private long helloId;
  private Loop.@Nullable Timer silenceTimer;
  private boolean awaiting;
  private boolean probed;
  private int numbered;
  private long quietSinceNanos;

  /** Starts to connect. */
  Link(Dispatcher owner, Endpoint endpoint, Loop loop, Connector connector, ClientConfig config) {
    this.owner = owner;
    this.endpoint = endpoint;
    this.loop = loop;
    this.config = config;
    long timeoutNanos = config.connectTimeout().toNanos();
    this.connection = connector.connect(endpoint.host(), endpoint.port(), timeoutNanos, this);
    this.helloTimer = loop.schedule(timeoutNanos, this::helloTimedOut);
  }

  boolean isReady() {
    return state == State.READY;
  }

  boolean isWritable() {
    return connection.isWritable();
  }

  /** Whether no call needs this link. */
  boolean isIdle() {
    return sent.isEmpty() && unsent.isEmpty();
  }

  /** How many calls with a number were sent here and are not decided. */
  int numbered() {
    return numbered;
  }

  /** Sends the call; from here on the server may have it. */
  void send(Call<?> call) {
    long now = loop.nanoTime();
    call.id = owner.nextId();
    call.link = this;
    sent.put(call.id, call);
    numbered += call.session == null ? 0 : 1;
    connection.send(call.frame(call.id, now));
    await(now);
  }

  /** Sends what needs no answer, if that is possible. */
  void tell(ClientFrame.Builder frame) {
    if (state == State.READY) {
      connection.send(frame.setId(owner.nextId()).build());
    }
  }

  /** Keeps the call until the server has answered the Hello. */
  void keep(Call<?> call) {
    call.link = this;
    unsent.add(call);
  }

  /** The calls that were kept; they are kept no longer. */
  List<Call<?>> takeUnsent() {
    List<Call<?>> taken = new ArrayList<>(unsent);
    unsent.clear();
    taken.forEach(call -> call.link = null);
    return taken;
  }

  /** The calls that were sent and not answered; their answers will not be looked at any more. */
  List<Call<?>> takeSent() {
    List<Call<?>> taken = new ArrayList<>(sent.values());
    sent.clear();
    numbered = 0;
    taken.forEach(call -> call.link = null);
    return taken;
  }

  /** Lets go of a call; true if it had been sent. */
  boolean release(Call<?> call) {
    call.link = null;
    boolean wasSent = !unsent.remove(call) && sent.remove(call.id) != null;
    numbered -= wasSent && call.session != null ? 1 : 0;
    return wasSent;
  }

  /** Closes without telling the owner, which has decided it. Closing twice is allowed. */
  void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    helloTimer.cancel();
    if (silenceTimer != null) {
      silenceTimer.cancel();
    }
    connection.close();
  }

  @Override
  public void opened() {
    if (state != State.CONNECTING) {
      return;
    }
    state = State.GREETING;
    helloId = owner.nextId();
    connection.send(
        ClientFrame.newBuilder()
            .setId(helloId)
            .setHello(
                HelloRequest.newBuilder()
                    .setProtocolVersion(ProtocolLimits.PROTOCOL_VERSION)
                    .setClusterId(owner.clusterId())
                    .setClientName(config.clientName()))
            .build());
  }

  @Override
  public void received(ServerFrame frame) {
    if (state == State.CLOSED) {
      return;
    }
    if (frame.getEndpointsCount() > 0) {
      owner.members(frame.getEndpointsList());
    }
    if (state != State.READY) {
      greeted(frame);
      return;
    }
    quietSinceNanos = loop.nanoTime();
    probed = false;
    Call<?> call = sent.get(frame.getId());
    if (call == null) {
      // The answer to a probe, or to a call that ended before: by its deadline, or cancelled.
      awaiting = !sent.isEmpty();
      return;
    }
    ServerFrame.BodyCase body = frame.getBodyCase();
    if (body != call.request.answer() && body != ServerFrame.BodyCase.ERROR) {
      // We cannot trust what else this server sends; the call counts as lost with the link.
      owner.lost(this, "answered " + call.request.answer() + " with " + body, false);
      return;
    }
    sent.remove(frame.getId());
    numbered -= call.session == null ? 0 : 1;
    call.link = null;
    awaiting = !sent.isEmpty();
    owner.answered(this, call, frame);
  }

  private void greeted(ServerFrame frame) {
    if (state != State.GREETING || frame.getId() != helloId) {
      owner.lost(this, "sent a frame before it answered the Hello", false);
      return;
    }
    switch (frame.getBodyCase()) {
      case HELLO -> {
        HelloResponse hello = frame.getHello();
        state = State.READY;
        helloTimer.cancel();
        owner.greeted(this, hello);
      }
      case ERROR -> owner.refused(this, frame.getError());
      default -> owner.lost(this, "answered the Hello with " + frame.getBodyCase(), false);
    }
  }

  @Override
  public void writable() {
    if (state == State.READY) {
      owner.writable(this);
    }
  }

  @Override
  public void closed(String reason, boolean timedOut) {
    if (state != State.CLOSED) {
      owner.lost(this, reason, timedOut);
    }
  }

  private void helloTimedOut() {
    if (state == State.CONNECTING) {
      owner.lost(this, "no connection within " + config.connectTimeout().toMillis() + " ms", true);
    } else if (state == State.GREETING) {
      owner.lost(
          this,
          "no answer to Hello within connectTimeout, " + config.connectTimeout().toMillis() + " ms",
          true);
    }
  }

  /** Something was sent that the server has to answer. */
  private void await(long nowNanos) {
    if (!awaiting) {
      awaiting = true;
      probed = false;
      quietSinceNanos = nowNanos;
    }
    if (silenceTimer == null) {
      listen(config.silence().toNanos());
    }
  }

  private void listen(long nanos) {
    silenceTimer = loop.schedule(nanos, this::checkSilence);
  }

  private void checkSilence() {
    silenceTimer = null;
    if (state != State.READY || !awaiting) {
      return;
    }
    long now = loop.nanoTime();
    long left = config.silence().toNanos() - (now - quietSinceNanos);
    if (left > 0) {
      listen(left);
    } else if (!probed) {
      probed = true;
      quietSinceNanos = now;
      connection.send(
          ClientFrame.newBuilder()
              .setId(owner.nextId())
              .setStatus(StatusRequest.getDefaultInstance())
              .build());
      listen(config.silence().toNanos());
    } else {
      owner.lost(this, "silent for " + 2 * config.silence().toMillis() + " ms", true);
    }
  }
}
