package io.kvorum.testkit.linearizability;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Of a store with revisions only these: each change has a larger one than all before it, and no
 * read an older one. Looks at the operations that were told a revision, of all keys together.
 */
final class RevisionModel implements Model<Long, KvInput, KvOutput> {
  @Override
  public Long initial() {
    return 0L;
  }

  @Override
  public @Nullable Long step(Long state, KvInput input, @Nullable KvOutput output) {
    if (output == null) {
      return state;
    }
    return isPossible(state, input, output) ? (Long) output.revision() : null;
  }

  static boolean isPossible(long state, KvInput input, KvOutput output) {
    return output.revision() > state
        || (output.revision() == state && !input.certainlyChanges(output.succeeded()));
  }

  @Override
  public boolean isReadOnly(KvInput input, @Nullable KvOutput output) {
    return output == null || !input.certainlyChanges(output.succeeded());
  }

  @Override
  public boolean canStillHappen(
      Long state, KvInput input, KvOutput output, Before<KvInput> before) {
    return isPossible(state, input, output);
  }

  @Override
  public List<List<Operation<KvInput, KvOutput>>> partition(
      List<Operation<KvInput, KvOutput>> history) {
    return List.of(
        history.stream()
            .filter(done -> done.output() != null && done.output().revision() != 0)
            .toList());
  }

  @Override
  public String describeState(Long state, KvInput input) {
    return "revision " + state;
  }
}
