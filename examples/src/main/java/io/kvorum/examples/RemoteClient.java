package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A client of a cluster: many requests under way at once, and what a failure lets one conclude. */
public final class RemoteClient {
  private RemoteClient() {}

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    // readme: remote
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient client = RemoteKvClient.connect(config)) {
      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        puts.add(client.put(Bytes.utf8("services/web/" + i), Bytes.utf8("10.0.0." + i)));
      }
      CompletableFuture.allOf(puts.toArray(CompletableFuture<?>[]::new)).join();

      try {
        client.blocking().put(Bytes.utf8("leader"), Bytes.utf8("me"));
      } catch (KvException.Unavailable certainlyNot) {
        System.out.println("not executed; safe to try again");
      } catch (KvException.OutcomeUnknown maybe) {
        System.out.println("may have been executed; a get tells");
      }
    }
    // readme: end
  }
}
