package io.kvorum.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Keys that are text, and values of one type, on any client: on a {@link Namespace}, say, for the
 * keys of one kind. What it does not offer, the client does.
 *
 * <p>Futures fail as the client's do; and with {@link IllegalArgumentException} where what is
 * stored is not what the codec writes.
 *
 * @param <T> what the values are
 */
public final class TypedKv<T> {
  private final KvClient client;
  private final Codec<T> codec;

  private TypedKv(KvClient client, Codec<T> codec) {
    this.client = client;
    this.codec = codec;
  }

  /** On that client, which stays the caller's to close. */
  public static <T> TypedKv<T> of(KvClient client, Codec<T> codec) {
    return new TypedKv<>(client, codec);
  }

  /** Puts with {@link PutOptions#DEFAULT}. */
  public CompletableFuture<PutResult> put(String key, T value) {
    return put(key, value, PutOptions.DEFAULT);
  }

  /** Sets the value of a key. */
  public CompletableFuture<PutResult> put(String key, T value, PutOptions options) {
    return client.put(Bytes.utf8(key), codec.encode(value), options);
  }

  /** Gets with {@link GetOptions#DEFAULT}. */
  public CompletableFuture<Optional<TypedKeyValue<T>>> get(String key) {
    return get(key, GetOptions.DEFAULT);
  }

  /** Reads one key. */
  public CompletableFuture<Optional<TypedKeyValue<T>>> get(String key, GetOptions options) {
    return Derived.of(
        client.get(Bytes.utf8(key), options), found -> found.keyValue().map(this::typed));
  }

  /** The keys that start so, in order of key, all of one revision; all keys when it is empty. */
  public CompletableFuture<List<TypedKeyValue<T>>> list(String prefix) {
    RangeCursor pages = client.pages(KeyRange.prefix(Bytes.utf8(prefix)));
    return Derived.of(
        readOn(pages, new ArrayList<>()), read -> read.stream().map(this::typed).toList());
  }

  private static CompletableFuture<List<KeyValue>> readOn(RangeCursor pages, List<KeyValue> read) {
    CompletableFuture<List<KeyValue>> page = pages.next();
    CompletableFuture<List<KeyValue>> all = page.newIncompleteFuture();
    var unused =
        page.whenComplete(
            (found, failure) -> {
              if (failure != null) {
                all.completeExceptionally(failure);
                return;
              }
              read.addAll(found);
              if (pages.isAtEnd()) {
                all.complete(read);
              } else {
                Derived.pass(readOn(pages, read), all);
              }
            });
    return all;
  }

  /** Puts if the key does not exist; says whether it did not. */
  public CompletableFuture<Boolean> create(String key, T value) {
    return compareAndSet(key, 0, value);
  }

  /**
   * Puts if nobody else has since; says whether that was so.
   *
   * @param modRevision of the key, as the caller knows it; 0: the key does not exist
   */
  public CompletableFuture<Boolean> compareAndSet(String key, long modRevision, T value) {
    return Derived.of(
        client.compareAndSet(Bytes.utf8(key), modRevision, codec.encode(value)),
        CasResult::succeeded);
  }

  /** Deletes a key; says whether it existed. */
  public CompletableFuture<Boolean> delete(String key) {
    return Derived.of(client.delete(Bytes.utf8(key)), result -> result.deleted() > 0);
  }

  /** The key as the application has it. */
  public TypedKeyValue<T> typed(KeyValue found) {
    return new TypedKeyValue<>(
        found.key().toUtf8(),
        codec.decode(found.value()),
        found.createRevision(),
        found.modRevision(),
        found.version(),
        found.lease());
  }
}
