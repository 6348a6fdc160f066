package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Idempotency;
import io.kvorum.server.store.protocol.LeaseRenew;
import io.kvorum.server.store.protocol.Numbered;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands that come again (FAULTS F102, F104, F109, F110), by session and by idempotency key. */
class SessionTest {
  private static final Bytes COUNTER = Bytes.utf8("n");
  private static final Bytes KEY = Bytes.utf8("k");
  private static final Bytes VALUE = Bytes.utf8("v");

  /** Nothing reaches the tables by itself. */
  private final SessionLab lab = new SessionLab(new MemoryHome(0), StoreOptions.DEFAULT);

  private static Stamp number(long session, long sequence, long below) {
    return Stamp.at(0).withNumber(session, sequence, below);
  }

  private static byte[] add(Stamp stamp) {
    return Commands.txn(Txn.of(Op.add(COUNTER, 1)), stamp);
  }

  private static byte[] put(Bytes key, Bytes value, PutOptions how, Stamp stamp) {
    return Commands.put(
        ByteString.copyFrom(key.toByteArray()),
        ByteString.copyFrom(value.toByteArray()),
        how,
        stamp);
  }

  private static Reason reason(ApplyResult result) {
    assertThat(result).isInstanceOf(ApplyResult.Rejected.class);
    return ((ApplyResult.Rejected) result).refusal().reason();
  }

  private static long sum(ApplyResult result) {
    ApplyResult.TxnApplied txn = (ApplyResult.TxnApplied) result.first();
    return ((OpResult.Add) txn.result().results().get(0)).value();
  }

  /** FAULTS F102. */
  @Test
  void whatComesAgainIsAnsweredAsTheFirstTime() {
    long session = lab.open();
    ApplyResult first = lab.apply(add(number(session, 1, 1)));
    assertThat(sum(lab.apply(add(number(session, 2, 1))))).isEqualTo(2);
    ApplyResult again = lab.apply(add(number(session, 1, 1)));
    assertThat(again).isInstanceOf(ApplyResult.Repeated.class);
    assertThat(again.first()).isEqualTo(first);
    assertThat(again.header().revision()).isEqualTo(3);
    assertThat(again.header().appliedIndex()).isEqualTo(4);
    assertThat(sum(lab.apply(add(number(session, 3, 1))))).isEqualTo(3);
  }

  /** FAULTS F110: a hole makes nobody wait, and any order will do. */
  @Test
  void numbersMayHaveGapsAndComeInAnyOrder() {
    long session = lab.open();
    for (int i = 100; i > 0; i--) {
      if (i != 17) {
        assertThat(sum(lab.apply(add(number(session, i, 1)))))
            .isEqualTo(i > 17 ? 101 - i : 100 - i);
      }
    }
    assertThat(sum(lab.apply(add(number(session, 17, 1))))).isEqualTo(100);
  }

  @Test
  void whatIsAcknowledgedIsForgottenAndNeverExecutedAgain() {
    long session = lab.open();
    lab.apply(add(number(session, 1, 1)));
    lab.apply(add(number(session, 2, 2)));
    assertThat(reason(lab.apply(add(number(session, 1, 1))))).isEqualTo(Reason.INVALID_ARGUMENT);
    // Never executed, and never waited for.
    lab.apply(add(number(session, 9, 7)));
    assertThat(reason(lab.apply(add(number(session, 6, 1))))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(sum(lab.apply(add(number(session, 8, 1))))).isEqualTo(4);
    lab.checkAgainstFullLog();
  }

  /** A refusal is an answer like any other: a copy that comes later must not succeed. */
  @Test
  void aRefusalIsKeptToo() {
    long session = lab.open();
    byte[] keeps = put(KEY, VALUE, PutOptions.DEFAULT.withKeepLease(), number(session, 1, 1));
    ApplyResult refused = lab.apply(keeps);
    assertThat(reason(refused)).isEqualTo(Reason.KEY_NOT_FOUND);
    lab.apply(put(KEY, VALUE, PutOptions.DEFAULT, Stamp.at(0)));
    assertThat(lab.apply(keeps).first()).isEqualTo(refused);
    assertThat(lab.machine().get(KEY, 0))
        .isInstanceOfSatisfying(
            ReadOutcome.Answered.class,
            found ->
                assertThat(((GetResult) found.result()).keyValue().orElseThrow().version())
                    .isEqualTo(1));
  }

  @Test
  void aSessionThatIsOverExecutesNothing() {
    long session = lab.open();
    lab.apply(add(number(session, 1, 1)));
    lab.expire(session);
    assertThat(reason(lab.apply(add(number(session, 1, 1))))).isEqualTo(Reason.SESSION_EXPIRED);
    assertThat(reason(lab.apply(add(number(session, 2, 1))))).isEqualTo(Reason.SESSION_EXPIRED);
    assertThat(reason(lab.apply(add(number(4711, 1, 1))))).isEqualTo(Reason.SESSION_EXPIRED);
    assertThat(lab.machine().header().revision()).isEqualTo(2);
    assertThat(SessionLab.kept(lab.machine())).isEmpty();
    lab.machine().flush();
    assertThat(Dump.of(lab.machine().tables())).noneMatch(row -> row.startsWith("session "));
  }

  @Test
  void aRenewalKeepsASessionFromAnExpiryThatDoesNotKnowOfIt() {
    long session = lab.open();
    long granted = lab.machine().lease(session).renewedIndex();
    lab.apply(Commands.leaseRenew(List.of(session), 0));
    lab.apply(Commands.leaseExpire(session, granted, 0));
    assertThat(sum(lab.apply(add(number(session, 1, 1))))).isEqualTo(1);
    assertThat(lab.machine().lease(session).kind()).isEqualTo(LeaseKind.SESSION);
  }

  @Test
  void aSessionIsNoLeaseForUsers() {
    long session = lab.open();
    assertThat(lab.machine().leaseIds(LeaseKind.USER)).isEmpty();
    byte[] hung = put(KEY, VALUE, PutOptions.DEFAULT.withLease(session), Stamp.at(0));
    assertThat(reason(lab.apply(hung))).isEqualTo(Reason.LEASE_NOT_FOUND);
    assertThat(reason(lab.apply(Commands.leaseGrant(5, 3_000, true, Stamp.at(0)))))
        .isEqualTo(Reason.INVALID_ARGUMENT);
    // An operator may end it.
    assertThat(lab.apply(Commands.leaseRevoke(session, 0)))
        .isInstanceOf(ApplyResult.LeaseRevoked.class);
    assertThat(reason(lab.apply(add(number(session, 1, 1))))).isEqualTo(Reason.SESSION_EXPIRED);
  }

  @Test
  void aSessionCanEndItself() {
    long session = lab.open();
    byte[] end = Commands.leaseRevoke(session, number(session, 1, 1));
    assertThat(lab.apply(end)).isInstanceOf(ApplyResult.LeaseRevoked.class);
    assertThat(reason(lab.apply(end))).isEqualTo(Reason.SESSION_EXPIRED);
    assertThat(SessionLab.kept(lab.machine())).isEmpty();
  }

  /** FAULTS F109: each kind of result comes back from the tables as it was. */
  @Test
  void resultsOfEveryKindSurviveARestart() {
    SessionLab durable = new SessionLab(Medium.memory(1), StoreOptions.DEFAULT);
    long session = durable.open();
    PutOptions previous = PutOptions.DEFAULT.withPrevious();
    List<byte[]> commands =
        List.of(
            put(KEY, VALUE, previous, number(session, 1, 1)),
            put(KEY, COUNTER, previous, number(session, 2, 1)),
            Commands.leaseGrant(7, 5_000, false, number(session, 3, 1)),
            put(VALUE, KEY, PutOptions.DEFAULT.withLease(7), number(session, 4, 1)),
            Commands.txn(
                Txn.of(Op.add(COUNTER, 3), Op.append(KEY, KEY), Op.range(KeyRange.all()))
                    .then(Op.txn(Txn.of(Op.delete(Bytes.utf8("x"))))),
                number(session, 5, 1)),
            Commands.leaseRevoke(7, number(session, 6, 1)),
            Commands.leaseRevoke(7, number(session, 7, 1)),
            Commands.deleteRange(
                KeyRange.single(KEY), DeleteOptions.DEFAULT.withPrevious(), number(session, 8, 1)),
            Commands.compact(3, number(session, 9, 1)),
            Commands.compact(2, number(session, 10, 1)));
    List<ApplyResult> results = commands.stream().map(durable::apply).toList();
    durable.reopen();
    durable.checkAgainstFullLog();
    for (int i = 0; i < commands.size(); i++) {
      ApplyResult again = durable.apply(commands.get(i));
      assertThat(again).isInstanceOf(ApplyResult.Repeated.class);
      assertThat(again.first()).isEqualTo(results.get(i));
    }
    durable.crash(2);
    durable.checkAgainstFullLog();
  }

  @Test
  void whatWasAcknowledgedBeforeAFlushNeverReachesTheTables() {
    long session = lab.open();
    for (int i = 1; i <= 50; i++) {
      lab.apply(add(number(session, i, i)));
    }
    lab.machine().flush();
    assertThat(Dump.of(lab.machine().tables()).stream().filter(row -> row.startsWith("session ")))
        .as("how far it is acknowledged, and the last result")
        .hasSize(2);
    lab.apply(add(number(session, 52, 52)));
    lab.machine().flush();
    assertThat(Dump.of(lab.machine().tables()).stream().filter(row -> row.startsWith("session ")))
        .hasSize(2);
  }

  @Test
  void aSessionWithTooManyResultsExecutesNothingMoreUntilSomeAreAcknowledged() {
    long session = lab.open();
    byte[] large = new byte[4 << 20];
    lab.apply(put(KEY, Bytes.wrapUnsafe(large), PutOptions.DEFAULT, Stamp.at(0)));
    PutOptions keeps = PutOptions.DEFAULT.withKeepValue().withPrevious();
    long sequence = 0;
    ApplyResult result;
    do {
      sequence++;
      result = lab.apply(put(KEY, Bytes.EMPTY, keeps, number(session, sequence, 1)));
    } while (result instanceof ApplyResult.PutApplied);
    assertThat(sequence).isEqualTo(9);
    assertThat(result).isInstanceOf(ApplyResult.Full.class);
    byte[] next = put(KEY, Bytes.EMPTY, keeps, number(session, sequence, 3));
    // This one says what is acknowledged; so the next try finds room.
    assertThat(lab.apply(next)).isInstanceOf(ApplyResult.Full.class);
    assertThat(lab.apply(next)).isInstanceOf(ApplyResult.PutApplied.class);
    assertThat(lab.apply(next)).isInstanceOf(ApplyResult.Repeated.class);
  }

  @Test
  void numbersThatMakeNoSenseAreRefused() {
    long session = lab.open();
    for (Stamp wrong :
        List.of(number(session, 0, 0), number(session, -1, 0), number(session, 3, 4))) {
      assertThat(reason(lab.apply(add(wrong)))).isEqualTo(Reason.INVALID_ARGUMENT);
    }
    assertThat(reason(lab.apply(Commands.leaseGrant(0, 5_000, true, number(session, 1, 1)))))
        .isEqualTo(Reason.INVALID_ARGUMENT);
    Command renewal =
        Command.newBuilder()
            .setLeaseRenew(LeaseRenew.newBuilder().addId(session))
            .setNumbered(Numbered.newBuilder().setSession(session).setSequence(1))
            .build();
    assertThat(reason(lab.apply(renewal.toByteArray()))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(sum(lab.apply(add(number(session, 1, 0))))).isEqualTo(1);
  }

  private static Stamp keyed(String key) {
    return Stamp.at(0).withIdempotency(ByteString.copyFromUtf8(key), 5_000);
  }

  @Test
  void anIdempotencyKeyGivesEveryoneTheFirstResult() {
    long session = lab.open();
    ApplyResult first = lab.apply(add(keyed("a").withNumber(session, 1, 1)));
    long other = lab.open();
    assertThat(lab.apply(add(keyed("a").withNumber(other, 1, 1))).first()).isEqualTo(first);
    assertThat(lab.apply(add(keyed("a"))).first()).isEqualTo(first);
    assertThat(sum(lab.apply(add(keyed("b"))))).isEqualTo(2);
    // The sessions' results are their own: both know it by its number, too.
    assertThat(lab.apply(add(number(other, 1, 1))).first()).isEqualTo(first);
    lab.expire(session);
    assertThat(lab.apply(add(keyed("a"))).first()).isEqualTo(first);
  }

  @Test
  void anIdempotencyKeyBelongsToOneOperation() {
    lab.apply(add(keyed("a")));
    byte[] other = Commands.txn(Txn.of(Op.add(COUNTER, 2)), keyed("a"));
    assertThat(reason(lab.apply(other))).isEqualTo(Reason.IDEMPOTENCY_KEY_REUSED);
    byte[] same =
        Commands.txn(Txn.of(Op.add(COUNTER, 1)), new Stamp(99, null, keyed("a").idempotency()));
    assertThat(lab.apply(same)).isInstanceOf(ApplyResult.Repeated.class);
    assertThat(lab.machine().header().revision()).isEqualTo(2);
  }

  /** FAULTS F104. */
  @Test
  void aWriteThatWasRefusedLeavesItsKeyFree() {
    byte[] keeps = put(KEY, VALUE, PutOptions.DEFAULT.withKeepLease(), keyed("a"));
    assertThat(reason(lab.apply(keeps))).isEqualTo(Reason.KEY_NOT_FOUND);
    lab.apply(put(KEY, KEY, PutOptions.DEFAULT, Stamp.at(0)));
    assertThat(lab.apply(keeps)).isInstanceOf(ApplyResult.PutApplied.class);
    assertThat(lab.apply(keeps)).isInstanceOf(ApplyResult.Repeated.class);
  }

  @Test
  void aKeyIsForgottenWhenItsTimeIsOver() {
    lab.apply(add(keyed("a")));
    long record = lab.only(LeaseKind.IDEMPOTENCY);
    assertThat(lab.machine().lease(record).ttlMillis()).isEqualTo(5_000);
    lab.machine().flush();
    lab.expire(record);
    assertThat(SessionLab.kept(lab.machine())).isEmpty();
    assertThat(sum(lab.apply(add(keyed("a"))))).isEqualTo(2);
    lab.machine().flush();
    assertThat(Dump.of(lab.machine().tables()).stream().filter(row -> row.startsWith("session ")))
        .hasSize(1);
    lab.checkAgainstFullLog();
  }

  @Test
  void keysThatMakeNoSenseAreRefused() throws InvalidProtocolBufferException {
    int most = IdempotencyKey.KEY_BYTES_MAX;
    long longest = IdempotencyKey.TTL_MAX.toMillis();
    for (Stamp wrong :
        List.of(
            Stamp.at(0).withIdempotency(ByteString.EMPTY, 5_000),
            Stamp.at(0).withIdempotency(ByteString.copyFrom(new byte[most + 1]), 5_000),
            keyed("a").withIdempotency(ByteString.copyFromUtf8("a"), 0),
            keyed("a").withIdempotency(ByteString.copyFromUtf8("a"), longest + 1))) {
      assertThat(reason(lab.apply(add(wrong)))).isEqualTo(Reason.INVALID_ARGUMENT);
    }
    Idempotency key = keyed("a").idempotency();
    Command grant =
        Command.parseFrom(Commands.leaseGrant(1, 3_000, 0)).toBuilder().setIdempotency(key).build();
    assertThat(reason(lab.apply(grant.toByteArray()))).isEqualTo(Reason.INVALID_ARGUMENT);
    assertThat(SessionLab.kept(lab.machine())).isEmpty();
    lab.apply(add(Stamp.at(0).withIdempotency(ByteString.copyFrom(new byte[most]), longest)));
    assertThat(lab.machine().lease(lab.only(LeaseKind.IDEMPOTENCY)).ttlMillis()).isEqualTo(longest);
  }
}
