package io.kvorum.cli.transfer;

import io.kvorum.api.Bytes;

/** A key and its value, as a file carries them. */
public record KeyValuePair(Bytes key, Bytes value) {}
