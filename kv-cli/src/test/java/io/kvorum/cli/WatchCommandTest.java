package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.WatchEnd;
import org.junit.jupiter.api.Test;

/** watch: what it prints, and when it ends. */
class WatchCommandTest {
  private final CommandLineHarness kvorum = new CommandLineHarness();

  private void write() {
    kvorum.run("put", "k", "one");
    kvorum.run("put", "k", "two\nlines");
    kvorum.run("put", "kk", "other");
    kvorum.run("del", "k");
  }

  @Test
  void textIsThatOfEtcdctl() {
    write();
    assertThat(kvorum.run("watch", "k", "--rev", "1", "--max-events", "3")).isZero();
    assertThat(kvorum.out()).isEqualTo("PUT\nk\none\nPUT\nk\ntwo\\nlines\nDELETE\nk\n\n");
    assertThat(kvorum.client.isClosed()).isTrue();
  }

  @Test
  void whatWasBeforeComesFirst() {
    write();
    assertThat(kvorum.run("watch", "k", "--rev", "2", "--prev-kv", "--max-events", "1")).isZero();
    assertThat(kvorum.out()).isEqualTo("PUT\nk\none\nk\ntwo\\nlines\n");
  }

  @Test
  void jsonIsAnObjectALine() {
    write();
    String[] watch = {"watch", "k", "l", "--rev", "3", "--prev-kv", "-o", "json"};
    kvorum.client.endWatches(new WatchEnd.ClientClosed());
    assertThat(kvorum.run(watch)).isZero();
    assertThat(kvorum.out())
        .isEqualTo(
            "{\"type\":\"PUT\",\"key\":\"kk\",\"value\":\"other\",\"createRevision\":3,"
                + "\"modRevision\":3,\"version\":1}\n"
                + "{\"type\":\"DELETE\",\"key\":\"k\",\"createRevision\":0,\"modRevision\":4,"
                + "\"version\":0,\"previous\":{\"key\":\"k\",\"value\":\"two\\nlines\","
                + "\"createRevision\":1,\"modRevision\":2,\"version\":2}}\n");
  }

  @Test
  void maxEventsCutsInsideARevision() {
    write();
    assertThat(kvorum.run("watch", "", "--prefix", "--rev", "1", "--max-events", "2")).isZero();
    assertThat(kvorum.out().lines().filter("PUT"::equals)).hasSize(2);
  }

  @Test
  void compactionIsNamedAndHasItsExitCode() {
    kvorum.client.endWatches(new WatchEnd.Compacted(3, 7));
    assertThat(kvorum.run("watch", "k", "--rev", "3")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err())
        .isEqualTo(
            "kvorum watch: changes from revision 3 on are compacted; the oldest to watch from is"
                + " 7\n");
  }

  @Test
  void aRejectionIsReportedAsOne() {
    kvorum.client.endWatches(
        new WatchEnd.Rejected(new KvException.Rejected(Reason.TOO_LARGE, "too large")));
    assertThat(kvorum.run("watch", "k")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("TOO_LARGE");
  }

  @Test
  void aReaderThatLeavesEndsTheWatch() {
    write();
    kvorum.withReaderThatLeavesAfter(4);
    assertThat(kvorum.run("watch", "k", "--rev", "1")).isEqualTo(ExitCode.OUTPUT_CLOSED);
  }

  @Test
  void wrongArgumentsAreUsage() {
    assertThat(kvorum.run("watch", "k", "l", "--prefix")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("watch", "k", "--rev", "-1")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("watch", "k", "--max-events", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.run("watch", "")).isEqualTo(ExitCode.REJECTED);
  }
}
