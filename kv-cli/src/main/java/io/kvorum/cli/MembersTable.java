package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.Members;
import io.kvorum.server.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Reads and writes members as people do. */
final class MembersTable {
  private MembersTable() {}

  /** One line for each member; as JSON, one object for each. */
  static void print(Members members, boolean json, Output out) {
    if (json) {
      members.members().forEach(member -> json(member, out));
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("NODE", "ROLE", "ADDRESS"));
    for (MemberInfo member : members.members()) {
      rows.add(List.of(member.id(), role(member), member.address()));
    }
    Table.print(rows, out::line);
  }

  private static void json(MemberInfo member, Output out) {
    out.json(
        json -> {
          json.writeStringField("nodeId", member.id());
          json.writeStringField("role", role(member));
          json.writeStringField("address", member.address());
        });
  }

  private static String role(MemberInfo member) {
    return member.role().name().toLowerCase(Locale.ROOT);
  }

  /** Reads {@code id=host:clientPort:peerPort}. */
  static MemberInfo parse(String text) {
    try {
      Member member = Member.parse(text);
      return MemberInfo.voter(member.id().name(), member.address());
    } catch (IllegalArgumentException malformed) {
      throw CommandFailure.usage(String.valueOf(malformed.getMessage()));
    }
  }

  /** What to do about a node that was to be added, when nobody knows how that went. */
  static String learnerHint(String id) {
    return "; "
        + id
        + " may be a learner now, and stays one even if it does not run: kvorum members list tells,"
        + " kvorum members promote "
        + id
        + " goes on once it has caught up, kvorum members remove "
        + id
        + " takes it back";
  }

  /** What comes of it. */
  static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof KvException expected) {
        throw expected;
      }
      throw failed;
    }
  }
}
