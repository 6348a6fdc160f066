package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.api.PutOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a {@link Script} does with leases, on the log and on the model. */
final class ScriptedLeases {
  private final ModelStore model;
  private byte[] command;
  private ApplyResult expected;

  ScriptedLeases(ModelStore model) {
    this.model = model;
  }

  /** Takes a step that is about leases; false if it is about something else. */
  boolean step(Script.Step step, long term, long index) {
    if (step instanceof Script.LeasedPut put) {
      Bytes value = Bytes.utf8("leased " + index);
      PutOptions how = PutOptions.DEFAULT.withLease(put.lease());
      command = Commands.put(put.key(), value, how, put.time());
      expected = model.leasedPut(put.key(), value, put.lease(), term, put.time());
    } else if (step instanceof Script.LeaseGrant grant) {
      long id = grant.id() == 0 ? chosen(index) : grant.id();
      command = Commands.leaseGrant(grant.id(), grant.ttlMillis(), 0);
      expected = model.grant(id, grant.ttlMillis(), term);
    } else if (step instanceof Script.LeaseRevoke revoke) {
      command = Commands.leaseRevoke(revoke.id(), 0);
      expected = model.revoke(revoke.id(), term);
    } else if (step instanceof Script.LeaseRenew renew) {
      command = Commands.leaseRenew(renew.ids(), 0);
      expected = model.renew(renew.ids(), term);
    } else if (step instanceof Script.LeaseExpire expire) {
      long renewed = renewedIndex(expire.id(), expire.stale());
      command = Commands.leaseExpire(expire.id(), renewed, 0);
      expected = model.expire(expire.id(), renewed, term);
    } else if (step instanceof Script.LeaseCheckpoint checkpoint) {
      long renewed = renewedIndex(checkpoint.id(), checkpoint.stale());
      LeaseRow row = new LeaseRow(0, renewed, checkpoint.millis());
      command = Commands.leaseCheckpoint(Map.of(checkpoint.id(), row), 0);
      expected = model.checkpoint(checkpoint.id(), renewed, checkpoint.millis(), term);
    } else {
      return false;
    }
    return true;
  }

  private long renewedIndex(long id, boolean stale) {
    LeaseRow row = model.leases.find(id);
    return row == null ? 1 : row.renewedIndex() - (stale ? 1 : 0);
  }

  /** Written down once from what the store did: a change would be a change of the format. */
  static long chosen(long index) {
    long mixed = (index ^ (index >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return (mixed ^ (mixed >>> 31)) & Long.MAX_VALUE;
  }

  byte[] command() {
    return command;
  }

  ApplyResult expected() {
    return expected;
  }

  /** The store has the leases of the model, and of each the keys that name it (FAULTS F133). */
  void check(KvStateMachine machine) {
    assertThat(machine.leaseIds(LeaseKind.USER)).isEqualTo(model.leases.ids());
    for (long id : machine.leaseIds(LeaseKind.USER)) {
      assertThat(machine.lease(id)).isEqualTo(model.leases.find(id));
      List<Bytes> naming = new ArrayList<>();
      for (KeyValue held : model.at(model.header().revision()).values()) {
        if (held.lease() == id) {
          naming.add(held.key());
        }
      }
      assertThat(machine.leaseKeys(id)).isEqualTo(naming);
    }
  }
}
