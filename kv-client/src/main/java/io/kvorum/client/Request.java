package io.kvorum.client;

import com.google.protobuf.Message;
import io.kvorum.protocol.ServerFrame;
import java.util.function.Function;

/**
 * What to ask, and how to read the answer.
 *
 * @param body one of the request messages of the protocol
 * @param isWrite whether executing it twice could differ from executing it once
 * @param keyBytes of its longest key
 * @param entryBytes of what it carries in all
 * @param answer what the server answers with, unless with an error
 * @param result reads the answer
 */
record Request<T>(
    Message body,
    boolean isWrite,
    int keyBytes,
    long entryBytes,
    ServerFrame.BodyCase answer,
    Function<ServerFrame, T> result) {}
