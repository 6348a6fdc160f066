package io.kvorum.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The members of the group as they are, or as they shall become. Whatever is made from an answer
 * remembers which one it was: if somebody else has changed the members meanwhile, a change that
 * does not know it is refused, and nothing is lost.
 *
 * @param members in order of id; unmodifiable
 * @param version of the answer; two of the same version are the same. Its bytes mean nothing
 */
public record Members(List<MemberInfo> members, Bytes version) {
  public Members {
    Map<String, MemberInfo> byId = new TreeMap<>();
    for (MemberInfo member : members) {
      if (byId.put(member.id(), member) != null) {
        throw new IllegalArgumentException("member " + member.id() + " is named twice");
      }
    }
    members = List.copyOf(byId.values());
  }

  /** The member of that id. */
  public Optional<MemberInfo> member(String id) {
    return members.stream().filter(member -> member.id().equals(id)).findFirst();
  }

  /** The same with this member too, in place of one of the same id. */
  public Members with(MemberInfo member) {
    Map<String, MemberInfo> byId = byId();
    byId.put(member.id(), member);
    return new Members(List.copyOf(byId.values()), version);
  }

  /** The same without the member of that id. */
  public Members without(String id) {
    Map<String, MemberInfo> byId = byId();
    byId.remove(id);
    return new Members(List.copyOf(byId.values()), version);
  }

  private Map<String, MemberInfo> byId() {
    Map<String, MemberInfo> byId = new TreeMap<>();
    members.forEach(member -> byId.put(member.id(), member));
    return byId;
  }
}
