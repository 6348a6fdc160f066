package io.kvorum.api;

/**
 * A key with its value and history, as etcd has it.
 *
 * @param value empty where only keys were asked for
 * @param createRevision the revision of the first put since the key last did not exist
 * @param modRevision the revision of the last put
 * @param version puts since the key last did not exist; 1 after the first
 * @param lease the lease the key hangs on; 0: none
 */
public record KeyValue(
    Bytes key, Bytes value, long createRevision, long modRevision, long version, long lease) {}
