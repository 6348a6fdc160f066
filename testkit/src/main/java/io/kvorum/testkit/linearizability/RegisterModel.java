package io.kvorum.testkit.linearizability;

import org.jspecify.annotations.Nullable;

/** One number that is read and written, 0 at first: the smallest model that can be violated. */
public final class RegisterModel implements Model<Integer, RegisterModel.Access, Integer> {
  /**
   * A read or a write.
   *
   * @param written null for a read
   */
  public record Access(@Nullable Integer written) {
    /** Reads; its output is what it found. */
    public static final Access READ = new Access(null);

    /** Writes; its output is the number written. */
    public static Access write(int value) {
      return new Access(value);
    }
  }

  @Override
  public Integer initial() {
    return 0;
  }

  @Override
  public @Nullable Integer step(Integer state, Access input, @Nullable Integer output) {
    if (input.written() != null) {
      return input.written();
    }
    return output == null || output.equals(state) ? state : null;
  }

  @Override
  public boolean isReadOnly(Access input, @Nullable Integer output) {
    return input.written() == null;
  }

  @Override
  public String describe(Access input, @Nullable Integer output) {
    if (input.written() != null) {
      return "write " + input.written() + (output == null ? " → unknown" : "");
    }
    return "read → " + (output == null ? "unknown" : output);
  }
}
