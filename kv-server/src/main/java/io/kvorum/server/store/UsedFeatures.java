package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.node.Feature;
import io.kvorum.node.Features;
import io.kvorum.server.store.protocol.Command;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The row {@code features} of {@link Table#META}: what the commands that were ever applied have
 * needed of a version that reads them (docs/adr/0019). There once one has needed something; written
 * in one batch with the row {@code state}: {@code u32 bits}, big-endian. Changed on the apply lane.
 */
final class UsedFeatures {
  private static final byte[] ROW_KEY = "features".getBytes(UTF_8);

  private volatile Features used;
  private boolean isUnwritten;

  private UsedFeatures(Features used) {
    this.used = used;
  }

  /**
   * What tables say.
   *
   * @throws IllegalStateException if they need what this version does not have
   */
  static UsedFeatures load(TableReader tables) {
    return new UsedFeatures(in(tables));
  }

  /** As {@link #load}. */
  static Features in(TableReader tables) {
    byte[] row = tables.get(Table.META, ROW_KEY);
    if (row == null) {
      return Features.NONE;
    }
    if (row.length != Integer.BYTES) {
      throw new IllegalStateException(
          "the store says in " + row.length + " bytes which features it uses; 4 are known");
    }
    Features used = new Features(ByteBuffer.wrap(row).getInt());
    Features unknown = used.without(Features.ALL);
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(
          "the store uses what this version of Kvorum does not have: "
              + unknown
              + "; start the version that wrote it");
    }
    return used;
  }

  /** What a command needs that not every version has; null if nothing. */
  static @Nullable Feature of(Command command) {
    return switch (command.getOpCase()) {
      case CHECK, VERDICT -> Feature.STATE_CHECKS;
      case QUOTA -> Feature.QUOTA;
      default -> null;
    };
  }

  /** A command is applied. */
  void use(Command command) {
    Feature needs = of(command);
    if (needs != null && !used.has(needs)) {
      used = used.with(needs);
      isUnwritten = true;
    }
  }

  /** Any thread. */
  Features used() {
    return used;
  }

  void writeTo(TableBatch batch) {
    if (isUnwritten) {
      batch.put(
          Table.META, ROW_KEY, ByteBuffer.allocate(Integer.BYTES).putInt(used.bits()).array());
      isUnwritten = false;
    }
  }
}
