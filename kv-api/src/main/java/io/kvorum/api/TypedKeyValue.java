package io.kvorum.api;

/**
 * A key with its value as the application has it, and its history as {@link KeyValue} has it.
 *
 * @param modRevision of the last put; what {@link TypedKv#compareAndSet} compares with
 */
public record TypedKeyValue<T>(
    String key, T value, long createRevision, long modRevision, long version, long lease) {}
