package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Idempotency;
import io.kvorum.server.store.protocol.Numbered;
import org.jspecify.annotations.Nullable;

/**
 * What a command carries beside its operation: when it was proposed, and what keeps it from taking
 * effect twice.
 *
 * @param timeMillis the proposer's clock, milliseconds since the epoch
 * @param numbered its number in a session; null: it has none
 * @param idempotency the key that its caller has given it; null: none
 */
public record Stamp(
    long timeMillis, @Nullable Numbered numbered, @Nullable Idempotency idempotency) {
  /** Of a command that nobody proposes twice. */
  public static Stamp at(long timeMillis) {
    return new Stamp(timeMillis, null, null);
  }

  /** With its number in a session. */
  public Stamp withNumber(long session, long sequence, long acknowledgedBelow) {
    Numbered number =
        Numbered.newBuilder()
            .setSession(session)
            .setSequence(sequence)
            .setAcknowledgedBelow(acknowledgedBelow)
            .build();
    return new Stamp(timeMillis, number, idempotency);
  }

  /** With a key of its caller. */
  public Stamp withIdempotency(ByteString key, long ttlMillis) {
    Idempotency given = Idempotency.newBuilder().setKey(key).setTtlMillis(ttlMillis).build();
    return new Stamp(timeMillis, numbered, given);
  }

  /** The beginning of such a command. */
  Command.Builder command() {
    Command.Builder command = Command.newBuilder().setTimeMillis(timeMillis);
    if (numbered != null) {
      command.setNumbered(numbered);
    }
    if (idempotency != null) {
      command.setIdempotency(idempotency);
    }
    return command;
  }
}
