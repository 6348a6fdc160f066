package io.kvorum.node;

import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of {@link Feature}s, as it travels and is stored: also of those that this version does not
 * know.
 *
 * @param bits one for each
 */
public record Features(int bits) {
  public static final Features NONE = new Features(0);

  /** All that this version has. */
  public static final Features ALL = of(Feature.values());

  /** These. */
  public static Features of(Feature... features) {
    int bits = 0;
    for (Feature feature : features) {
      bits |= feature.mask();
    }
    return new Features(bits);
  }

  public boolean has(Feature feature) {
    return (bits & feature.mask()) != 0;
  }

  /** These and those. */
  public Features with(Features others) {
    return new Features(bits | others.bits);
  }

  /** These and one more. */
  public Features with(Feature one) {
    return new Features(bits | one.mask());
  }

  /** Those that are not among these others. */
  public Features without(Features others) {
    return new Features(bits & ~others.bits);
  }

  /**
   * Why a group that uses these does not talk to a member; null if that has all of them.
   *
   * @param announced what the member has
   */
  public @Nullable String refusal(NodeId member, Features announced) {
    Features lacking = without(announced);
    return lacking.isEmpty()
        ? null
        : "the version of "
            + member
            + " lacks what the group uses: "
            + lacking
            + " (it has: "
            + announced
            + "). It would stop at the entries that use it: update "
            + member;
  }

  public boolean isEmpty() {
    return bits == 0;
  }

  /** Their titles; of an unknown one its number, as "feature 7". */
  @Override
  public String toString() {
    List<String> titles = new ArrayList<>();
    int unknown = bits;
    for (Feature feature : Feature.values()) {
      if (has(feature)) {
        titles.add(feature.title());
        unknown &= ~feature.mask();
      }
    }
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      if ((unknown & (1 << bit)) != 0) {
        titles.add("feature " + bit);
      }
    }
    return titles.isEmpty() ? "none" : String.join(", ", titles);
  }
}
