package io.kvorum.api;

import io.kvorum.api.KvException.Reason;
import io.kvorum.api.MemberInfo.Role;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * Asks who the members of a cluster are and how much room its store takes, and changes that.
 *
 * <p>A change completes when it is committed. A node that shall vote and is no member yet first
 * becomes a learner and is waited for; then the voters change by joint consensus, all at once, so
 * at no moment can two majorities decide apart. Futures fail with a {@link KvException}:
 *
 * <ul>
 *   <li>{@link KvException.Rejected} with {@link Reason#MEMBERS_REFUSED}: it is not allowed so, or
 *       not now; the message says why, and whether anything was changed. With {@link
 *       Reason#MEMBERS_CHANGED}: somebody else changed the members meanwhile; nothing was changed
 *   <li>{@link KvException.Unavailable}: certainly not executed
 *   <li>{@link KvException.OutcomeUnknown}: it may be on its way; {@link #members} tells. It is
 *       never sent twice
 * </ul>
 */
public interface ClusterAdmin {
  /** Asks with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Members> members() {
    return members(AdminOptions.DEFAULT);
  }

  /** The members by which the leader acts now; linearizable. */
  CompletableFuture<Members> members(AdminOptions options);

  /** Changes with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Members> changeMembers(Members wanted) {
    return changeMembers(wanted, AdminOptions.DEFAULT);
  }

  /**
   * Makes the members those that are wanted.
   *
   * @param wanted made from an answer of this interface. Outgoing members are left out
   * @return what is committed
   */
  CompletableFuture<Members> changeMembers(Members wanted, AdminOptions options);

  /** Hands over with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Header> transferLeadership(String id) {
    return transferLeadership(id, AdminOptions.DEFAULT);
  }

  /** Makes that voter the leader; completes when it leads. */
  CompletableFuture<Header> transferLeadership(String id, AdminOptions options);

  /** Adds with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Members> addMember(MemberInfo member) {
    return addMember(member, AdminOptions.DEFAULT);
  }

  /**
   * Adds a node, which must run already and have been told to join. After an {@link
   * KvException.OutcomeUnknown}, or when it did not catch up in time, the same call goes on with
   * it.
   */
  default CompletableFuture<Members> addMember(MemberInfo member, AdminOptions options) {
    return change(options, now -> adding(now, member));
  }

  /** Removes with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Members> removeMember(String id) {
    return removeMember(id, AdminOptions.DEFAULT);
  }

  /** Removes a member for good, be it alive or not. It stops itself when it hears of it. */
  default CompletableFuture<Members> removeMember(String id, AdminOptions options) {
    return change(
        options,
        now -> {
          present(now, id);
          return now.without(id);
        });
  }

  /** Promotes with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Members> promote(String id) {
    return promote(id, AdminOptions.DEFAULT);
  }

  /** Lets a learner vote from now on; it must have caught up. */
  default CompletableFuture<Members> promote(String id, AdminOptions options) {
    return change(
        options,
        now -> {
          MemberInfo member = present(now, id);
          if (member.role() != Role.LEARNER) {
            throw refused(id + " is no learner, but " + member.role());
          }
          return now.with(member.withRole(Role.VOTER));
        });
  }

  /** Replaces with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<Members> replaceMember(String gone, MemberInfo member) {
    return replaceMember(gone, member, AdminOptions.DEFAULT);
  }

  /**
   * Adds one and removes another, dead or alive, in one change. After an {@link
   * KvException.OutcomeUnknown}, or when the new one did not catch up in time, the same call goes
   * on where the first one was cut off, or is refused as done before.
   */
  default CompletableFuture<Members> replaceMember(
      String gone, MemberInfo member, AdminOptions options) {
    return change(
        options,
        now -> {
          if (now.member(gone).isEmpty() && now.member(member.id()).isPresent()) {
            throw refused(
                gone + " is no member, and " + member.id() + " is one already: done before");
          }
          if (present(now, gone).role() == Role.OUTGOING) {
            throw refused(gone + " is going already: ask for the members until it is gone");
          }
          return adding(now, member).without(gone);
        });
  }

  /** Asks with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<SpaceUse> space() {
    return space(AdminOptions.DEFAULT);
  }

  /** How much room the store takes, and how much it may take; linearizable. */
  CompletableFuture<SpaceUse> space(AdminOptions options);

  /** Sets with {@link AdminOptions#DEFAULT}. */
  default CompletableFuture<SpaceUse> setQuota(long bytes) {
    return setQuota(bytes, AdminOptions.DEFAULT);
  }

  /**
   * Sets how much room the store may take. What would make it larger is rejected from then on with
   * {@link Reason#SPACE_EXCEEDED}, wholly, and changes nothing; deletes, compactions, reads, and
   * what renews or ends leases are executed as before. A quota below what is used already takes
   * nothing away.
   *
   * @param bytes 0: as much as there is
   * @return what it is now
   */
  CompletableFuture<SpaceUse> setQuota(long bytes, AdminOptions options);

  /** Reads the members, makes others of them, and changes to these if nobody else did meanwhile. */
  private CompletableFuture<Members> change(AdminOptions options, UnaryOperator<Members> edit) {
    return members(options).thenCompose(now -> edited(now, options, edit));
  }

  private CompletableFuture<Members> edited(
      Members now, AdminOptions options, UnaryOperator<Members> edit) {
    try {
      return changeMembers(edit.apply(now), options);
    } catch (KvException.Rejected impossible) {
      return CompletableFuture.failedFuture(impossible);
    }
  }

  /** One that is to vote and is a learner already is where an earlier try was cut off. */
  private static Members adding(Members now, MemberInfo member) {
    MemberInfo there = now.member(member.id()).orElse(null);
    if (there == null) {
      return now.with(member);
    }
    boolean goesOn = there.role() == Role.LEARNER && member.role() == Role.VOTER;
    if (!goesOn) {
      throw refused(member.id() + " is a member already");
    }
    if (!there.address().equals(member.address())) {
      throw refused(member.id() + " is a learner at another address, " + there.address());
    }
    return now.with(member);
  }

  private static MemberInfo present(Members now, String id) {
    return now.member(id)
        .orElseThrow(
            () ->
                refused(
                    id
                        + " is no member; members are "
                        + now.members().stream().map(MemberInfo::id).toList()));
  }

  private static KvException.Rejected refused(String why) {
    return new KvException.Rejected(Reason.MEMBERS_REFUSED, why + "; nothing was changed");
  }
}
