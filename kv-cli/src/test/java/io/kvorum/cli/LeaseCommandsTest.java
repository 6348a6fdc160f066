package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** lease and compact: what they print, in etcdctl's words, and how they exit. */
class LeaseCommandsTest {
  private final CommandLineHarness kvorum = new CommandLineHarness();

  @Test
  void aLeaseFromItsGrantToItsEnd() {
    assertThat(kvorum.run("lease", "grant", "60", "--id", "32695410dcc0ca06")).isZero();
    assertThat(kvorum.out()).isEqualTo("lease 32695410dcc0ca06 granted with TTL(60s)\n");
    assertThat(kvorum.run("put", "--lease", "32695410dcc0ca06", "k", "v")).isZero();
    assertThat(kvorum.client.present().get(Bytes.utf8("k")).lease()).isEqualTo(0x32695410dcc0ca06L);
    assertThat(kvorum.run("lease", "timetolive", "32695410dcc0ca06")).isZero();
    assertThat(kvorum.out())
        .isEqualTo("lease 32695410dcc0ca06 granted with TTL(60s), remaining(60s)\n");
    assertThat(kvorum.run("lease", "timetolive", "32695410dcc0ca06", "--keys")).isZero();
    assertThat(kvorum.out())
        .isEqualTo(
            "lease 32695410dcc0ca06 granted with TTL(60s), remaining(60s), attached keys([k])\n");
    assertThat(kvorum.run("lease", "keep-alive", "--once", "32695410dcc0ca06")).isZero();
    assertThat(kvorum.out()).isEqualTo("lease 32695410dcc0ca06 keepalived with TTL(60)\n");
    assertThat(kvorum.run("lease", "list")).isZero();
    assertThat(kvorum.out()).isEqualTo("found 1 leases\n32695410dcc0ca06\n");
    assertThat(kvorum.run("lease", "revoke", "32695410dcc0ca06")).isZero();
    assertThat(kvorum.out()).isEqualTo("lease 32695410dcc0ca06 revoked\n");
    assertThat(kvorum.run("lease", "timetolive", "32695410dcc0ca06")).isEqualTo(1);
    assertThat(kvorum.out()).isEqualTo("lease 32695410dcc0ca06 already expired\n");
    assertThat(kvorum.run("lease", "keep-alive", "32695410dcc0ca06")).isEqualTo(1);
    assertThat(kvorum.out()).isEqualTo("lease 32695410dcc0ca06 expired or revoked.\n");
  }

  /** What it says is read at once: so it notices here that nobody does. */
  @Test
  void keepAliveSaysThatItHasBegunBeforeItWaits() {
    assertThat(kvorum.run("lease", "grant", "60", "--id", "1")).isZero();
    assertThat(kvorum.withReaderThatLeavesAfter(0).run("lease", "keep-alive", "1"))
        .isEqualTo(ExitCode.OUTPUT_CLOSED);
  }

  @Test
  void negativeIdsAreHexadecimalToo() {
    assertThat(kvorum.run("lease", "grant", "5", "--id", "ffffffffffffffff", "-o", "json"))
        .isZero();
    assertThat(kvorum.out()).isEqualTo("{\"lease\":\"ffffffffffffffff\",\"ttl\":5}\n");
    assertThat(kvorum.run("lease", "timetolive", "--keys", "ffffffffffffffff", "-o", "json"))
        .isZero();
    assertThat(kvorum.out())
        .isEqualTo("{\"lease\":\"ffffffffffffffff\",\"ttl\":5,\"remaining\":5,\"keys\":[]}\n");
    kvorum.run("put", "k", "v", "--lease", "ffffffffffffffff");
    for (String read : List.of("get k", "range k", "watch k --rev 1 --max-events 1")) {
      assertThat(kvorum.run((read + " -o json").split(" ", -1))).isZero();
      assertThat(kvorum.out()).as(read).contains("\"lease\":\"ffffffffffffffff\"");
    }
  }

  @Test
  void compactionNamesItsRevision() {
    kvorum.run("put", "k", "v");
    kvorum.run("put", "k", "w");
    assertThat(kvorum.run("compact", "2")).isZero();
    assertThat(kvorum.out()).isEqualTo("compacted revision 2\n");
    assertThat(kvorum.client.lastCompaction()).isEqualTo("2");
    assertThat(kvorum.run("compact", "--physical", "2")).isZero();
    assertThat(kvorum.client.lastCompaction()).isEqualTo("2 physical");
  }

  @Test
  void wrongArgumentsAreWrongUsage() {
    assertThat(kvorum.run("lease")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("lease", "grant", "soon")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("lease", "grant", "-1")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("lease", "revoke", "xyz")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("lease", "revoke", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("put", "--lease", "0", "k", "v")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("compact", "0")).isEqualTo(ExitCode.USAGE);
  }
}
