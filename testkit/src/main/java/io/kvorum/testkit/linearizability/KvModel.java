package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A key-value store with revisions, as etcd has them: one for the whole store, raised by each
 * operation that changes something.
 *
 * <p>{@link #alone()} is for a history that holds every change made to the store: each gets the
 * revision after the last, and a read sees that of the last change. One revision orders all keys,
 * so if anybody looked at one, all changes are checked together. If nobody did, a history falls
 * apart into the keys that its operations join.
 *
 * <p>{@link #amongOthers()} is for a history beside which others change the store, on other keys,
 * and for checking long histories key by key: revisions only grow, from one operation to the next
 * that shares a key with it.
 */
public final class KvModel implements Model<KvState, KvInput, KvOutput> {
  /** No key: joins what depends on the revision. Real keys have a letter in front. */
  private static final String REVISION = "";

  private final boolean alone;
  private final long firstRevision;
  private final KvExecution.Tracked tracked;
  private final KvLooks looks;

  private KvModel(boolean alone, long firstRevision, KvExecution.Tracked tracked, KvLooks looks) {
    this.alone = alone;
    this.firstRevision = firstRevision;
    this.tracked = tracked;
    this.looks = looks;
  }

  /** An empty store at revision 1, changed by nothing but the history. */
  public static KvModel alone() {
    return new KvModel(true, 1, KvExecution.Tracked.ALL, KvLooks.AT_EVERYTHING);
  }

  /** Keys that nothing but the history changes, in a store that others use, too. */
  public static KvModel amongOthers() {
    return new KvModel(false, 0, KvExecution.Tracked.ALL, KvLooks.AT_EVERYTHING);
  }

  /** Begins at this revision: what the store was at when the history began, without its keys. */
  public KvModel withFirstRevision(long revision) {
    return new KvModel(alone, revision, tracked, looks);
  }

  @Override
  public KvState initial() {
    return new KvState(tracked.revision() ? firstRevision : 0, null);
  }

  @Override
  public @Nullable KvState step(KvState state, KvInput input, @Nullable KvOutput output) {
    long seen = output == null ? 0 : output.revision();
    boolean exact = alone || seen != 0;
    long made = !tracked.revision() ? 0 : alone || seen == 0 ? state.revision() + 1 : seen;
    KvExecution run = new KvExecution(state, input, exact ? made : -made, tracked);
    long after = run.changed() ? made : state.revision();
    if (output == null) {
      return new KvState(after, run.keys());
    }
    if (output.succeeded() != null && output.succeeded() != run.succeeded()) {
      return null;
    }
    if (seen != 0 && !fits(seen, after, run.changed(), state)) {
      return null;
    }
    KvState next = new KvState(Math.max(after, tracked.revision() ? seen : 0), run.keys());
    return output.seen().isEmpty() ? next : compared(next, input, output.seen(), run.found());
  }

  private boolean fits(long seen, long after, boolean changed, KvState before) {
    if (alone) {
      return seen == after;
    }
    return changed ? seen > before.revision() : seen >= before.revision();
  }

  /** The state if all that was seen is what was found; with what a get has told about its key. */
  private @Nullable KvState compared(
      KvState next, KvInput input, List<KvOutput.Seen> seen, List<@Nullable Held> found) {
    if (seen.size() != found.size()) {
      return null;
    }
    KvState told = next;
    for (int i = 0; i < seen.size(); i++) {
      Held held = found.get(i);
      if (held == null) {
        if (seen.get(i).value() != null) {
          return null;
        }
        continue;
      }
      Held known = held.seenAs(seen.get(i));
      if (known == null) {
        return null;
      }
      if (input instanceof KvInput.Get get && !known.equals(held)) {
        long revision = Math.max(told.revision(), known.modRevision());
        told = new KvState(revision, KeyTree.put(told.keys(), get.key(), known));
      }
    }
    return told;
  }

  @Override
  public boolean isReadOnly(KvInput input, @Nullable KvOutput output) {
    return input.isReadOnly(output == null ? null : output.succeeded());
  }

  /** Revisions never fall, and a value comes from somewhere. */
  @Override
  public boolean canStillHappen(
      KvState state, KvInput input, KvOutput output, Before<KvInput> before) {
    if (output.revision() != 0 && !RevisionModel.isPossible(state.revision(), input, output)) {
      return false;
    }
    if (input instanceof KvInput.CompareAndSet set && Boolean.TRUE.equals(output.succeeded())) {
      return canCome(state, set.key(), set.expected(), before);
    }
    boolean looked = input instanceof KvInput.Single && output.seen().size() == 1;
    return !looked
        || canCome(state, ((KvInput.Single) input).key(), output.seen().get(0).value(), before);
  }

  /** A key holds what stands at the start of the value, or an operation may put that there. */
  private static boolean canCome(
      KvState state, String key, @Nullable String value, Before<KvInput> before) {
    Held held = state.find(key);
    if (held == null || value == null) {
      return (held == null && value == null) || before.any(input -> input.canGive(key, value));
    }
    if (value.equals(held.value())) {
      return true;
    }
    String rest = value.startsWith(held.value()) ? value.substring(held.value().length()) : null;
    return before.any(
        input -> input.canGive(key, value) || (rest != null && input.canAppend(key, rest)));
  }

  /**
   * With operations of unknown outcome, a gap in the revisions can have been any of them, on any
   * key: if the history is wrong, there is much to try. Most errors show on their own key, or in
   * the revisions alone.
   */
  @Override
  public List<Model<?, KvInput, KvOutput>> relaxations(List<Operation<KvInput, KvOutput>> history) {
    if (!alone || !track(history).revision()) {
      return List.of();
    }
    return comparesRevisions(history)
        ? List.of(new RevisionModel())
        : List.of(new RevisionModel(), amongOthers());
  }

  @Override
  public List<List<Operation<KvInput, KvOutput>>> partition(
      List<Operation<KvInput, KvOutput>> history) {
    boolean joined = alone && track(history).revision();
    return KeyGroups.partition(history, operation -> touched(operation, joined));
  }

  private Set<String> touched(Operation<KvInput, KvOutput> operation, boolean joined) {
    Set<String> touched = new TreeSet<>();
    operation.input().keys().forEach(key -> touched.add("k" + key));
    if (joined && (dependsOnRevision(operation) || !isReadOnly(operation))) {
      touched.add(REVISION);
    }
    return touched;
  }

  private boolean isReadOnly(Operation<KvInput, KvOutput> operation) {
    return isReadOnly(operation.input(), operation.output());
  }

  private static boolean dependsOnRevision(Operation<KvInput, KvOutput> operation) {
    return track(List.of(operation)).revision();
  }

  @Override
  public KvModel fittedTo(List<Operation<KvInput, KvOutput>> part) {
    KvExecution.Tracked fitting = alone ? track(part) : trackOrRefuse(part);
    return new KvModel(alone, firstRevision, fitting, KvLooks.of(part));
  }

  @Override
  public Object kind(KvInput input) {
    return looks.kind(input);
  }

  /**
   * Beside others the revision of an unseen change is not known, so nothing can be said about it.
   */
  private static KvExecution.Tracked trackOrRefuse(List<Operation<KvInput, KvOutput>> part) {
    if (comparesRevisions(part)) {
      throw new IllegalArgumentException(
          "compares of revisions can be checked only with a model that is alone");
    }
    return track(part);
  }

  private static boolean comparesRevisions(List<Operation<KvInput, KvOutput>> part) {
    return compares(part, KvCompare.Field.CREATE_REVISION)
        || compares(part, KvCompare.Field.MOD_REVISION);
  }

  private static KvExecution.Tracked track(List<Operation<KvInput, KvOutput>> part) {
    boolean create =
        compares(part, KvCompare.Field.CREATE_REVISION)
            || anySeen(part, seen -> seen.createRevision() != 0);
    boolean mod =
        compares(part, KvCompare.Field.MOD_REVISION)
            || anySeen(part, seen -> seen.modRevision() != 0);
    boolean version =
        compares(part, KvCompare.Field.VERSION) || anySeen(part, seen -> seen.version() != 0);
    boolean store =
        part.stream().anyMatch(done -> done.output() != null && done.output().revision() != 0);
    return new KvExecution.Tracked(store || create || mod, create, mod, version);
  }

  private static boolean anySeen(
      List<Operation<KvInput, KvOutput>> part, Predicate<KvOutput.Seen> predicate) {
    return part.stream()
        .anyMatch(
            done -> done.output() != null && done.output().seen().stream().anyMatch(predicate));
  }

  private static boolean compares(List<Operation<KvInput, KvOutput>> part, KvCompare.Field field) {
    return part.stream()
        .anyMatch(
            done ->
                done.input() instanceof KvInput.Txn txn
                    && txn.compares().stream().anyMatch(compare -> compare.field() == field));
  }

  @Override
  public String describeState(KvState state, KvInput input) {
    List<String> keys = new ArrayList<>(input.keys());
    StringJoiner text = new StringJoiner(", ");
    for (String key : keys) {
      Held held = state.find(key);
      text.add(held == null ? key + " absent" : key + "=" + held);
    }
    return tracked.revision() ? text + ", revision " + state.revision() : text.toString();
  }
}
