package io.kvorum.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.kvorum.api.Bytes;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A warning says that a person should look; where all goes well there is none. */
class QuietStartTest {
  @TempDir Path directory;

  private final Logger kvorum = (Logger) LoggerFactory.getLogger("io.kvorum");
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    kvorum.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    kvorum.detachAppender(log);
  }

  @Test
  void nodesThatAreStartedOneAfterAnotherAndOneThatJoinsWarnOfNothing() {
    List<Member> all = TestCluster.freeMembers(4);
    List<Member> three = all.subList(0, 3);
    Member newcomer = all.get(3);
    try (Group group = new Group(directory)) {
      for (Member member : three) {
        group.start(group.config(member, three).build());
      }
      group.node("n1").blocking().put(Bytes.utf8("k"), Bytes.utf8("v"));
      // It calls before it is added, and is sent away; that is how it waits.
      KvNode joining = group.join(newcomer, three);
      Await.until(
          "it to have been refused",
          Group.LIMIT,
          () -> group.status("n4").problem().filter(text -> text.contains("added")).isPresent());
      group.node("n1").addMember(Group.voter(newcomer)).join();
      assertThat(joining.blocking().get(Bytes.utf8("k")).value()).contains(Bytes.utf8("v"));
      // Those that are closed first are missed by the others.
      kvorum.detachAppender(log);
    }
    assertThat(List.copyOf(log.list))
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .isEmpty();
  }
}
