package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import io.kvorum.node.StateSum;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Bytes on disk and in the log, pinned: a change here is a change of the format and needs a version
 * (docs/FORMATS.md, "Store").
 */
class StoreFormatTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes VALUE = Bytes.utf8("value");

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void latestRows() {
    LatestRow row = new LatestRow(0x0102030405060708L, 0xfffe, 5, 6, 7, false, VALUE);
    String fixed =
        "0102030405060708" + "fffe" + "0000000000000005" + "0000000000000006" + "0000000000000007";
    assertThat(hex(row.encode())).isEqualTo("02" + fixed + hex(VALUE.toByteArray()));
    assertThat(LatestRow.decode(row.encode())).isEqualTo(row);

    LatestRow large =
        new LatestRow(0x0102030405060708L, 0xfffe, 5, 6, 7, false, Script.value(1025, 1));
    String digest = large.withoutLargeValue().large().digest().toString();
    assertThat(digest).isEqualTo("49c2e0e8247c486db302f766ba46d1a5");
    assertThat(hex(large.encode())).isEqualTo("08" + fixed + "00000401" + digest);
    assertThat(LatestRow.decode(large.encode())).isEqualTo(large.withoutLargeValue());

    LatestRow empty = new LatestRow(9, 0, 5, 6, 7, false, Bytes.EMPTY);
    assertThat(LatestRow.decode(empty.encode())).isEqualTo(empty);

    LatestRow deleted = LatestRow.deleted(9, 3);
    assertThat(hex(deleted.encode()))
        .isEqualTo("01" + "0000000000000009" + "0003" + "0".repeat(48));
    assertThat(LatestRow.decode(deleted.encode())).isEqualTo(deleted);
  }

  @Test
  void revRows() {
    assertThat(hex(RevRow.key(0x0102030405060708L, 0xfffe))).isEqualTo("0102030405060708fffe");
    LatestRow now = new LatestRow(9, 1, 5, 6, 7, false, VALUE);
    LatestRow before = new LatestRow(8, 0xfffe, 5, 5, 0, false, Bytes.EMPTY);
    assertThat(hex(RevRow.encode(KEY, now, before, 300)))
        .isEqualTo(
            "03"
                + "0000000000000005"
                + "0000000000000006"
                + "0000000000000007"
                + "0000000000000008"
                + "fffe"
                + "000000000000012c"
                + "0003"
                + hex(KEY.toByteArray())
                + hex(VALUE.toByteArray()));
    assertThat(hex(RevRow.encode(KEY, LatestRow.deleted(9, 1), null, 0)))
        .isEqualTo(
            "04" + "0".repeat(48) + "0".repeat(16) + "0000" + "0".repeat(16) + "0003" + "6b6579");

    RevRow read = new RevRow(9, RevRow.encode(KEY, now, before, 300));
    assertThat(read.isDelete()).isFalse();
    assertThat(read.supersededBytes()).isEqualTo(300);
    assertThat(read.key()).isEqualTo(KEY);
    assertThat(read.value()).isEqualTo(VALUE);
    assertThat(read.prevRevision()).isEqualTo(8);
    assertThat(read.prevSub()).isEqualTo(0xfffe);
    assertThat(read.keyValue(KEY, VALUE)).isEqualTo(now.keyValue(KEY, VALUE));
  }

  @Test
  void stateRow() {
    Space space = new Space(300, 200, 100, 50, true);
    StoreState state = new StoreState(new EntryId(3, 2), 5, 4, 6, Membership.EMPTY, space);
    assertThat(hex(StoreState.rowKey())).isEqualTo("7374617465");
    StateHash rows = new StateHash(0x0102030405060708L, 9);
    String fixed =
        "0006"
            + "0000000000000003"
            + "0000000000000002"
            + "0000000000000005"
            + "0000000000000004"
            + "0000000000000006"
            + "01020304050607080000000000000009"
            + "000000000000012c"
            + "00000000000000c8"
            + "0000000000000064"
            + "0000000000000032"
            + "01";
    assertThat(hex(state.encode(rows))).isEqualTo(fixed);
    assertThat(StoreState.decode(state.encode(rows))).isEqualTo(state);
    assertThat(StoreState.rows(state.encode(rows))).isEqualTo(rows);
    Membership members = Membership.of(List.of(new NodeId("n1"), new NodeId("n2")));
    StoreState changed = new StoreState(new EntryId(3, 2), 5, 4, 6, members, space);
    assertThat(hex(changed.encode(rows))).isEqualTo(fixed + hex(members.encode()));
    assertThat(StoreState.decode(changed.encode(rows))).isEqualTo(changed);
    assertThat(StoreState.rows(changed.encode(rows))).isEqualTo(rows);
    assertThat(StoreState.decode(null)).isEqualTo(StoreState.INITIAL);
  }

  @Test
  void leaseRows() {
    assertThat(hex(LeaseRow.key(-2))).isEqualTo("fffffffffffffffe");
    assertThat(hex(LeaseRow.key(0x0102030405060708L, KEY.toByteArray())))
        .isEqualTo("0102030405060708" + "6b6579");
    LeaseRow row = new LeaseRow(5000, 0x0102030405060708L, 300);
    assertThat(hex(row.encode()))
        .isEqualTo("0000000000001388" + "0102030405060708" + "000000000000012c" + "00");
    assertThat(LeaseRow.decode(row.encode())).isEqualTo(row);
    assertThat(hex(Compaction.rowKey())).isEqualTo("636f6d70616374696f6e");
  }

  @Test
  void rowsOfResults() {
    SessionLab lab = new SessionLab(Medium.memory(1), StoreOptions.DEFAULT);
    long session = lab.open();
    Stamp stamp =
        Stamp.at(1).withNumber(session, 3, 2).withIdempotency(ByteString.copyFromUtf8("i"), 5_000);
    byte[] command = Commands.deleteRange(KeyRange.single(KEY), DeleteOptions.DEFAULT, stamp);
    assertThat(lab.apply(command)).isInstanceOf(ApplyResult.DeleteApplied.class);
    String id = hex(LeaseRow.key(session));
    long record = lab.only(LeaseKind.IDEMPOTENCY);
    String result = "1208" + "0801" + "1001" + "1802" + "2001" + "2a00";
    assertThat(SessionLab.kept(lab.machine()))
        .containsEntry("00" + id, "0000000000000002")
        .containsEntry("00" + id + "0000000000000003", result)
        .containsEntry(
            "01" + "69",
            hex(LeaseRow.key(record))
                + "20949a1baac4cfd771d99bc93eacdefe135648596e84e123c736ea99f203507c"
                + result);
  }

  @Test
  void commandsThatMayComeAgain() {
    Stamp stamp =
        Stamp.at(1).withNumber(0x0102, 3, 2).withIdempotency(ByteString.copyFromUtf8("i"), 300);
    assertThat(hex(Commands.leaseRevoke(7, stamp)))
        .isEqualTo(
            "0801"
                + "2a0d"
                + "090201000000000000"
                + "1003"
                + "1802"
                + "3206"
                + "0a0169"
                + "10ac02"
                + "920102"
                + "0807");
    assertThat(hex(Commands.leaseGrant(0, 2000, true, Stamp.at(0))))
        .isEqualTo("8a0105" + "10d00f" + "1801");
    LeaseRow row = new LeaseRow(5000, 1, 300, LeaseKind.SESSION);
    assertThat(hex(row.encode())).endsWith("01");
    assertThat(LeaseRow.decode(row.encode())).isEqualTo(row);
    LeaseRow record = new LeaseRow(5000, 1, 300, LeaseKind.IDEMPOTENCY);
    assertThat(hex(record.encode())).endsWith("02");
    assertThat(LeaseRow.decode(record.encode())).isEqualTo(record);
  }

  @Test
  void commandsThatCompareStates() {
    assertThat(hex(Commands.check())).isEqualTo("b20100");
    assertThat(hex(Commands.verdict(new StateSum(300, 1, "ab"))))
        .isEqualTo("ba0109" + "08ac02" + "1001" + "1a026162");
  }

  @Test
  void commandsAboutHistoryAndLeases() {
    assertThat(hex(Commands.compact(300, 1))).isEqualTo("0801" + "820103" + "08ac02");
    assertThat(hex(Commands.quota(300, 1))).isEqualTo("0801" + "c20103" + "08ac02");
    assertThat(hex(Commands.quota(0, 1))).isEqualTo("0801" + "c20100");
    assertThat(hex(Commands.leaseGrant(7, 2000, 1)))
        .isEqualTo("0801" + "8a0105" + "0807" + "10d00f");
    assertThat(hex(Commands.leaseRevoke(7, 1))).isEqualTo("0801" + "920102" + "0807");
    assertThat(hex(Commands.leaseRenew(List.of(7L, 8L), 1)))
        .isEqualTo("0801" + "9a0104" + "0a020708");
    assertThat(hex(Commands.leaseExpire(7, 9, 1))).isEqualTo("0801" + "a20104" + "0807" + "1009");
    assertThat(hex(Commands.leaseCheckpoint(Map.of(7L, new LeaseRow(2000, 9, 300)), 1)))
        .isEqualTo("0801" + "aa0109" + "0a07" + "0807" + "1009" + "18ac02");
  }

  @Test
  void commands() {
    assertThat(hex(Commands.put(KEY, VALUE, PutOptions.DEFAULT.withPrevious(), 300)))
        .isEqualTo("08ac02" + "120e" + "0a036b6579" + "120576616c7565" + "1801");
    DeleteOptions plain = DeleteOptions.DEFAULT;
    assertThat(hex(Commands.deleteRange(KeyRange.single(KEY), plain, 0)))
        .isEqualTo("1a05" + "0a036b6579");
    assertThat(hex(Commands.deleteRange(KeyRange.from(KEY), plain.withPrevious(), 0)))
        .isEqualTo("1a0a" + "0a036b6579" + "120100" + "1801");
    assertThat(hex(Commands.deleteRange(KeyRange.prefix(KEY), plain, 0)))
        .isEqualTo("1a0a" + "0a036b6579" + "12036b657a");
  }

  @Test
  void transactions() {
    Txn txn =
        Txn.when(Compare.modRevision(KEY).isGreaterThan(1))
            .then(Op.add(KEY, -1), Op.put(KEY, Bytes.EMPTY, PutOptions.DEFAULT.withKeepValue()))
            .otherwise(Op.append(KEY, VALUE), Op.txn(Txn.of(Op.get(KEY), Op.delete(KEY))));
    RangeOptions last =
        RangeOptions.DEFAULT.withLimit(1).withSort(RangeOptions.SortBy.VALUE).withReverse();
    String key = "0a036b6579";
    assertThat(hex(Commands.txn(txn, 300)))
        .isEqualTo(
            "08ac02"
                + "2249"
                + "0a0b"
                + "0801"
                + "1002"
                + "1a036b6579"
                + "2801"
                + "1209"
                + "2a07"
                + key
                + "1001"
                + "1209"
                + "0a07"
                + key
                + "2801"
                + "1a0e"
                + "320c"
                + key
                + "120576616c7565"
                + "1a14"
                + "2212"
                + "1207"
                + "1a05"
                + key
                + "1207"
                + "1205"
                + key);
    assertThat(hex(Commands.txn(Txn.of(Op.range(KeyRange.all(), last)), 0)))
        .isEqualTo("2210" + "120e" + "1a0c" + "0a0100" + "120100" + "1801" + "2801" + "4004");
  }

  @Test
  void tableNames() {
    assertThat(Table.values())
        .extracting(Table::label)
        .containsExactly("latest", "rev", "lease", "session", "meta");
  }
}
