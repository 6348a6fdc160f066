package io.kvorum.node.netty;

import io.kvorum.node.Lane;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the addresses of a host. A name server that does not answer blocks the JDK's lookup for
 * many seconds, so a name is looked up on a thread of its own, which lives for that one lookup; the
 * caller starts the next one only after this one has ended.
 */
final class NameLookup {
  private NameLookup() {}

  /**
   * Looks up a host.
   *
   * @param peer its host name or address, and port; that it is resolved already does not count
   * @param then told on the lane, or at once for an address: either the address, or why there is
   *     none
   * @param attempt which of several addresses of the host to give, in turn
   */
  static void lookUp(
      InetSocketAddress peer,
      int attempt,
      String thread,
      Lane lane,
      BiConsumer<@Nullable InetSocketAddress, @Nullable Throwable> then) {
    byte[] literal = NetUtil.createByteArrayFromIpAddressString(peer.getHostString());
    if (literal != null) {
      then.accept(literal(literal, peer.getPort()), null);
      return;
    }
    var unused =
        CompletableFuture.supplyAsync(
                () -> resolve(peer, attempt), task -> start(new Thread(task, thread)))
            .whenComplete((found, failure) -> lane.execute(() -> then.accept(found, failure)));
  }

  private static void start(Thread thread) {
    thread.setDaemon(true);
    thread.start();
  }

  private static InetSocketAddress literal(byte[] address, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (UnknownHostException impossible) {
      throw new AssertionError("4 or 16 bytes are an address", impossible);
    }
  }

  private static InetSocketAddress resolve(InetSocketAddress peer, int attempt) {
    try {
      InetAddress[] all = InetAddress.getAllByName(peer.getHostString());
      return new InetSocketAddress(all[Math.floorMod(attempt, all.length)], peer.getPort());
    } catch (UnknownHostException unknown) {
      throw new CompletionException("unknown host " + peer.getHostString(), unknown);
    }
  }
}
