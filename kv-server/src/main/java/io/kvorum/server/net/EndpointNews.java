package io.kvorum.server.net;

import io.kvorum.protocol.ServerFrame;
import java.util.List;

/**
 * Tells one client where the members are: with the first answer, and again with the next one when
 * that has changed. So a client that has only ever talked to one node can go on when that one dies.
 */
public final class EndpointNews {
  /** A larger answer is not made larger still: the next one will do. */
  private static final int ANSWER_BYTES_MAX = 64 << 10;

  private final RequestHandler handler;
  private List<String> told = List.of();

  public EndpointNews(RequestHandler handler) {
    this.handler = handler;
  }

  /** The answer, with the news if there are any. On the loop. */
  public ServerFrame addTo(ServerFrame answer) {
    List<String> now = handler.endpoints();
    if (now == told || answer.hasError() || answer.getSerializedSize() > ANSWER_BYTES_MAX) {
      return answer;
    }
    told = now;
    return answer.toBuilder().addAllEndpoints(now).build();
  }
}
