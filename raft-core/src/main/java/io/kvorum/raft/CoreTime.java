package io.kvorum.raft;

/** The driver's monotonic time, as last told. Only differences mean something. */
final class CoreTime {
  private boolean isKnown;
  private long nanos;

  /** Never falls; equal is fine. */
  void tell(long nowNanos) {
    InvariantViolation.check(!isKnown || nowNanos - nanos >= 0, "monotonic time never falls");
    isKnown = true;
    nanos = nowNanos;
  }

  /** Without a time nothing may rest on it. */
  boolean isKnown() {
    return isKnown;
  }

  long nanos() {
    return nanos;
  }
}
