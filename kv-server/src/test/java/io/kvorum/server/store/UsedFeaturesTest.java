package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.kvorum.api.Bytes;
import io.kvorum.api.PutOptions;
import io.kvorum.node.Feature;
import io.kvorum.node.Features;
import io.kvorum.node.StateSum;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.protocol.Command;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** FAULTS F165: what a log has used is not forgotten with the entries that used it. */
class UsedFeaturesTest {
  private static final byte[] PUT =
      Commands.put(Bytes.utf8("a"), Bytes.utf8("1"), PutOptions.DEFAULT, 5);

  /** What is added to Command needs a feature: versions before it stop at it. */
  private static final Set<Command.OpCase> OF_EVERY_VERSION =
      EnumSet.of(
          Command.OpCase.PUT,
          Command.OpCase.DELETE_RANGE,
          Command.OpCase.TXN,
          Command.OpCase.COMPACT,
          Command.OpCase.LEASE_GRANT,
          Command.OpCase.LEASE_RENEW,
          Command.OpCase.LEASE_REVOKE,
          Command.OpCase.LEASE_EXPIRE,
          Command.OpCase.LEASE_CHECKPOINT,
          Command.OpCase.OP_NOT_SET);

  private static Entry entry(long index, byte[] command) {
    return new Entry(index, 1, EntryType.COMMAND, command);
  }

  private static StoreOptions options() {
    return StoreOptions.DEFAULT;
  }

  @Test
  void theRowComesWithTheFirstUseAndStays() {
    MemoryTables tables = new MemoryTables();
    KvStateMachine machine = Homes.open(tables, options());
    machine.apply(List.of(entry(1, PUT)));
    machine.flush();
    assertThat(machine.usedFeatures()).isEqualTo(Features.NONE);
    assertThat(tables.get(Table.META, "features".getBytes(UTF_8))).isNull();

    machine.apply(List.of(entry(2, Commands.check()), entry(3, PUT)));
    machine.flush();
    assertThat(machine.usedFeatures()).isEqualTo(Features.of(Feature.STATE_CHECKS));
    assertThat(tables.get(Table.META, "features".getBytes(UTF_8))).containsExactly(0, 0, 0, 2);
    assertThat(Homes.open(tables, options()).usedFeatures())
        .isEqualTo(Features.of(Feature.STATE_CHECKS));
  }

  /** An older version reckons without the row. */
  @Test
  void theHashOfAStateDoesNotHoldIt() {
    KvStateMachine with = Homes.open(new MemoryTables(), options());
    KvStateMachine without = Homes.open(new MemoryTables(), options());
    with.apply(List.of(entry(1, Commands.check()), entry(2, PUT)));
    without.apply(List.of(Entry.noOp(1, 1), entry(2, PUT)));
    assertThat(with.stateHash()).isEqualTo(without.stateHash());
  }

  @Test
  void whatIsNotKnownHereIsRefusedByItsNumber() {
    MemoryTables tables = new MemoryTables();
    TableBatch batch = tables.batch();
    byte[] bits = ByteBuffer.allocate(4).putInt(1 << 9 | Feature.SNAPSHOTS.mask()).array();
    batch.put(Table.META, "features".getBytes(UTF_8), bits);
    tables.write(batch);
    assertThatThrownBy(() -> Homes.open(tables, options()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("feature 9")
        .hasMessageNotContaining("snapshots");
  }

  @Test
  void everyCommandOfThisVersionIsGatedOrOfEveryVersion() {
    for (FieldDescriptor each : Command.getDescriptor().getOneofs().get(0).getFields()) {
      Command.Builder command = Command.newBuilder();
      command.setField(each, command.newBuilderForField(each).build());
      assertThat(UsedFeatures.of(command.build()) == null)
          .as("%s: see UsedFeatures, of", each.getName())
          .isEqualTo(OF_EVERY_VERSION.contains(command.getOpCase()));
    }
    assertThat(Commands.feature(entry(1, Commands.check()))).isEqualTo(Feature.STATE_CHECKS);
    byte[] ofMajority = Commands.verdict(new StateSum(1, 1, "0".repeat(32)));
    assertThat(Commands.feature(entry(2, ofMajority))).isEqualTo(Feature.STATE_CHECKS);
    assertThat(Commands.feature(entry(1, PUT))).isNull();
    assertThat(Commands.feature(Entry.noOp(1, 1))).isNull();
  }
}
