package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Txn;
import io.kvorum.protocol.TxnRules;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/**
 * The rule of duplicate keys against a reference that walks every way through the branches (FAULTS
 * F136). jqwik prints the seed and the transaction that failed.
 */
class TxnRulesModelTest {
  @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
  void aKeyIsADuplicateIfSomeWayWritesItTwice(@ForAll("txns") Txn txn) {
    boolean isDuplicate = ModelTxn.isDuplicate(txn);
    KvException.Rejected refused = TxnRules.refuse(txn);
    assertThat(refused == null ? null : refused.reason())
        .isEqualTo(isDuplicate ? Reason.DUPLICATE_KEY : null);
    Statistics.collect(isDuplicate);
    Statistics.coverage(
        seen -> {
          seen.check(true).percentage(share -> share > 10);
          seen.check(false).percentage(share -> share > 10);
        });
  }

  @Provide
  Arbitrary<Txn> txns() {
    return TxnScripts.txns();
  }
}
