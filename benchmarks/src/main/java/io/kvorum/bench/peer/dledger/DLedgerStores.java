package io.kvorum.bench.peer.dledger;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import io.openmessaging.storage.dledger.protocol.AppendEntryRequest;
import io.openmessaging.storage.dledger.protocol.AppendEntryResponse;
import io.openmessaging.storage.dledger.protocol.DLedgerRequestCode;
import io.openmessaging.storage.dledger.protocol.DLedgerResponseCode;
import io.openmessaging.storage.dledger.protocol.GetEntriesRequest;
import io.openmessaging.storage.dledger.protocol.GetEntriesResponse;
import io.openmessaging.storage.dledger.protocol.RequestOrResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyRemotingClient;
import org.apache.rocketmq.remoting.netty.ResponseFuture;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RemotingSerializable;
import org.jspecify.annotations.Nullable;

/**
 * Clients of DLedger, which is a log and no map: a put appends the value, and a get reads the entry
 * of the key's last put, whose index the client remembers. Its own client waits for each answer, so
 * that this one sends the same requests on the same transport without waiting.
 */
public final class DLedgerStores implements StoreFactory {
  @Override
  public Store open(String endpoints) {
    NettyRemotingClient transport = new NettyRemotingClient(new NettyClientConfig(), null);
    transport.start();
    return new DLedgerStore(transport, endpoints.split(",", -1));
  }

  private static final class DLedgerStore implements Store {
    private static final long CALL_MILLIS = 5_000;

    private final NettyRemotingClient transport;
    private final String[] addresses;
    private final Map<Key, Long> indexes = new ConcurrentHashMap<>();

    /** Which server to ask: the leader, as far as is known. */
    private volatile int leader;

    DLedgerStore(NettyRemotingClient transport, String[] addresses) {
      this.transport = transport;
      this.addresses = addresses;
    }

    @Override
    public CompletableFuture<Void> put(Key key, byte[] value) {
      AppendEntryRequest request = new AppendEntryRequest();
      request.setBody(value);
      return call(request, DLedgerRequestCode.APPEND, AppendEntryResponse.class)
          .thenAccept(done -> indexes.put(key, done.getIndex()));
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Key key) {
      Long index = indexes.get(key);
      if (index == null) {
        return CompletableFuture.completedFuture(null);
      }
      GetEntriesRequest request = new GetEntriesRequest();
      request.setBeginIndex(index);
      return call(request, DLedgerRequestCode.GET, GetEntriesResponse.class)
          .thenApply(found -> found.getEntries().get(0).getBody());
    }

    private <T extends RequestOrResponse> CompletableFuture<T> call(
        RequestOrResponse request, DLedgerRequestCode code, Class<T> type) {
      int server = leader;
      request.setGroup(DLedgerServers.GROUP);
      request.setRemoteId(DLedgerServers.id(server));
      RemotingCommand command = RemotingCommand.createRequestCommand(code.getCode(), null);
      command.setBody(RemotingSerializable.encode(request));
      CompletableFuture<T> answer = new CompletableFuture<>();
      try {
        transport.invokeAsync(
            addresses[server], command, CALL_MILLIS, end -> end(end, server, answer, type));
      } catch (RemotingException failed) {
        askAnother(server);
        answer.completeExceptionally(failed);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        answer.completeExceptionally(interrupted);
      }
      return answer;
    }

    private <T extends RequestOrResponse> void end(
        ResponseFuture end, int server, CompletableFuture<T> answer, Class<T> type) {
      RemotingCommand command = end.getResponseCommand();
      if (command == null) {
        askAnother(server);
        answer.completeExceptionally(
            new IllegalStateException("no answer from " + addresses[server]));
        return;
      }
      T response = RemotingSerializable.decode(command.getBody(), type);
      if (response.getCode() == DLedgerResponseCode.SUCCESS.getCode()) {
        answer.complete(response);
      } else {
        askAnother(server);
        answer.completeExceptionally(
            new IllegalStateException(DLedgerResponseCode.valueOf(response.getCode()).toString()));
      }
    }

    /** Unless somebody has done so already. */
    private synchronized void askAnother(int server) {
      if (leader == server) {
        leader = (server + 1) % addresses.length;
      }
    }

    @Override
    public void close() {
      transport.shutdown();
    }
  }
}
