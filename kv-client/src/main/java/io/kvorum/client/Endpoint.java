package io.kvorum.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a server listens for clients.
 *
 * @param host a name or an address; an IPv6 address without brackets
 * @param port 1 to 65,535
 */
public record Endpoint(String host, int port) {
  public Endpoint {
    if (host.isBlank() || host.chars().anyMatch(c -> Character.isWhitespace(c) || c == ',')) {
      throw new IllegalArgumentException("not a host: '" + host + "'");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is 1 to 65535, not " + port);
    }
  }

  /**
   * Reads {@code host:port}, or {@code [address]:port} for IPv6.
   *
   * @throws IllegalArgumentException if it is neither; the message says what was expected
   */
  public static Endpoint parse(String text) {
    String trimmed = text.trim();
    int colon = trimmed.lastIndexOf(':');
    if (colon < 1) {
      throw malformed(text);
    }
    String host = trimmed.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw malformed(text);
    }
    String port = trimmed.substring(colon + 1);
    if (port.isEmpty() || port.length() > 5 || !port.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw malformed(text);
    }
    return new Endpoint(host, Integer.parseInt(port));
  }

  /**
   * Reads endpoints separated by commas.
   *
   * @throws IllegalArgumentException if one is malformed, or there is none
   */
  public static List<Endpoint> parseList(String text) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      endpoints.add(parse(part));
    }
    return List.copyOf(endpoints);
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "expected host:port, for example 127.0.0.1:7400 or [::1]:7400, but got '" + text + "'");
  }

  /** What {@link #parse} reads. */
  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
