package io.kvorum.cli;

import io.kvorum.api.AdminOptions;
import io.kvorum.api.Bytes;
import io.kvorum.api.ClusterAdmin;
import io.kvorum.api.Header;
import io.kvorum.api.KvException;
import io.kvorum.api.MemberInfo;
import io.kvorum.api.Members;
import io.kvorum.api.SpaceUse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Members and a quota of this JVM behind the client's interface; each change makes a new version.
 */
final class FakeAdmin implements ClusterAdmin {
  Members members =
      new Members(
          List.of(
              MemberInfo.voter("n1", "10.0.0.1:7400:7500"),
              MemberInfo.learner("n2", "10.0.0.2:7400:7500")),
          Bytes.utf8("v"));

  SpaceUse space = new SpaceUse(1_200, 0, 300, false);
  @Nullable Duration timeout;
  @Nullable String leader;
  @Nullable KvException failure;

  @Override
  public CompletableFuture<Members> members(AdminOptions options) {
    timeout = options.timeout();
    return CompletableFuture.completedFuture(members);
  }

  @Override
  public CompletableFuture<Members> changeMembers(Members wanted, AdminOptions options) {
    timeout = options.timeout();
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    if (!wanted.version().equals(members.version())) {
      return CompletableFuture.failedFuture(
          new KvException.Rejected(KvException.Reason.MEMBERS_CHANGED, "changed"));
    }
    members = new Members(wanted.members(), Bytes.utf8(wanted.version().toUtf8() + "+"));
    return CompletableFuture.completedFuture(members);
  }

  @Override
  public CompletableFuture<SpaceUse> space(AdminOptions options) {
    timeout = options.timeout();
    return CompletableFuture.completedFuture(space);
  }

  @Override
  public CompletableFuture<SpaceUse> setQuota(long bytes, AdminOptions options) {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    space = new SpaceUse(space.usedBytes(), bytes, space.reclaimableBytes(), bytes == 1);
    return CompletableFuture.completedFuture(space);
  }

  @Override
  public CompletableFuture<Header> transferLeadership(String id, AdminOptions options) {
    leader = id;
    return CompletableFuture.completedFuture(new Header(1, 1, 1, 1));
  }
}
