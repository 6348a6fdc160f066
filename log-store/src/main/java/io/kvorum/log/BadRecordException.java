package io.kvorum.log;

/** Bytes that are no record: cut, damaged, of another seed or group, or over a limit. */
public final class BadRecordException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public BadRecordException(String message) {
    super(message);
  }
}
