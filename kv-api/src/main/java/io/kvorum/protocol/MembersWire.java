package io.kvorum.protocol;

import io.kvorum.api.MemberInfo;
import io.kvorum.api.MemberInfo.Role;
import io.kvorum.api.Members;
import java.util.ArrayList;
import java.util.List;

/** What {@link Wire} does, for the members of a group. */
public final class MembersWire {
  private MembersWire() {}

  public static MemberRole toProto(Role role) {
    return switch (role) {
      case VOTER -> MemberRole.VOTER;
      case LEARNER -> MemberRole.LEARNER;
      case OUTGOING -> MemberRole.OUTGOING;
    };
  }

  /** A role that is not said, by a server that knew only voters, is a voter's. */
  public static Role role(MemberRole role) {
    return switch (role) {
      case LEARNER -> Role.LEARNER;
      case OUTGOING -> Role.OUTGOING;
      case VOTER, MEMBER_ROLE_UNSPECIFIED, UNRECOGNIZED -> Role.VOTER;
    };
  }

  /** What a server answers. */
  public static MembersResponse toProto(Members members) {
    MembersResponse.Builder response =
        MembersResponse.newBuilder().setVersion(Wire.toProto(members.version()));
    members.members().forEach(member -> response.addMembers(toProto(member)));
    return response.build();
  }

  public static Members members(MembersResponse response) {
    return new Members(infos(response.getMembersList()), Wire.fromProto(response.getVersion()));
  }

  /** Without those who are outgoing: that they go is under way already. */
  public static MembersChangeRequest changeRequest(Members wanted) {
    MembersChangeRequest.Builder request =
        MembersChangeRequest.newBuilder().setVersion(Wire.toProto(wanted.version()));
    for (MemberInfo member : wanted.members()) {
      if (member.role() != Role.OUTGOING) {
        request.addMembers(toProto(member));
      }
    }
    return request.build();
  }

  /**
   * What is wanted.
   *
   * @throws IllegalArgumentException if a member is named twice, or has no name
   */
  public static Members members(MembersChangeRequest request) {
    return new Members(infos(request.getMembersList()), Wire.fromProto(request.getVersion()));
  }

  private static Member toProto(MemberInfo member) {
    return Member.newBuilder()
        .setNodeId(member.id())
        .setAddress(member.address())
        .setRole(toProto(member.role()))
        .build();
  }

  private static List<MemberInfo> infos(List<Member> messages) {
    List<MemberInfo> infos = new ArrayList<>();
    for (Member member : messages) {
      infos.add(new MemberInfo(member.getNodeId(), member.getAddress(), role(member.getRole())));
    }
    return infos;
  }
}
