package io.kvorum.server.store;

import io.kvorum.api.KvException.Reason;

/**
 * Why a request is not executed and never will be as it stands.
 *
 * @param message says what was wrong, and names the limit
 */
public record Refusal(Reason reason, String message) {}
