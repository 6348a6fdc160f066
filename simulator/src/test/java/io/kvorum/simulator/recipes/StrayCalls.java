package io.kvorum.simulator.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.client.recipes.RecipePorts;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client of which one transaction goes astray when asked for: its outcome is unknown, and it is
 * executed later, when the test says so.
 */
final class StrayCalls implements InvocationHandler {
  private final KvClient client;
  private final KvClient proxy;
  private @Nullable Class<? extends Op> wanted;
  private @Nullable Txn stray;
  private @Nullable Runnable afterLook;

  StrayCalls(KvClient client) {
    this.client = client;
    this.proxy =
        (KvClient)
            Proxy.newProxyInstance(
                StrayCalls.class.getClassLoader(), new Class<?>[] {KvClient.class}, this);
  }

  /** The ports, with this client. */
  RecipePorts ports(RecipePorts ports) {
    return new RecipePorts(proxy, ports.timers(), ports.callbacks());
  }

  /** The next transaction that may do this goes astray. */
  void holdNext(Class<? extends Op> operation) {
    wanted = operation;
  }

  /** Does that when the next transaction that only reads has been answered. */
  void afterNextLook(Runnable action) {
    afterLook = action;
  }

  /** What went astray is executed. */
  void arrive() {
    Txn late = stray;
    if (late == null) {
      throw new AssertionError("nothing has gone astray");
    }
    stray = null;
    client.txn(late).join();
  }

  @Override
  public @Nullable Object invoke(
      Object self, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (method.isDefault()) {
      return InvocationHandler.invokeDefault(self, method, arguments);
    }
    if (method.getName().equals("txn")
        && arguments != null
        && arguments[0] instanceof Txn txn
        && wanted != null
        && txn.success().stream().anyMatch(wanted::isInstance)) {
      wanted = null;
      stray = txn;
      CompletableFuture<?> unknown = client.get(Bytes.utf8("x")).newIncompleteFuture();
      unknown.completeExceptionally(new KvException.OutcomeUnknown("gone astray"));
      return unknown;
    }
    try {
      Object result = method.invoke(client, arguments);
      Runnable action = afterLook;
      if (action != null
          && arguments != null
          && arguments[0] instanceof Txn look
          && look.onlyReads()) {
        afterLook = null;
        return ((CompletableFuture<?>) result).whenComplete((answer, failure) -> action.run());
      }
      return result;
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }
}
