package io.kvorum.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What of one feature a node knows.
 *
 * @param isUsed whether an entry that needs it is in the log, or was
 * @param lack who keeps it from being used, if this node were to propose it; null if nobody does
 */
public record FeatureStatus(Feature feature, boolean isUsed, Refusal.@Nullable Lacking lack) {
  /** Of all that this version has. */
  static List<FeatureStatus> of(FeatureGate gate) {
    List<FeatureStatus> all = new ArrayList<>();
    Features used = gate.used();
    for (Map.Entry<Feature, Refusal.@Nullable Lacking> each : gate.all().entrySet()) {
      all.add(new FeatureStatus(each.getKey(), used.has(each.getKey()), each.getValue()));
    }
    return all;
  }
}
