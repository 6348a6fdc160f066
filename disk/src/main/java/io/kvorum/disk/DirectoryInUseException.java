package io.kvorum.disk;

/** Another holder, in this JVM or in another process, works on the directory. */
public final class DirectoryInUseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DirectoryInUseException(String location, String holder) {
    super(location + " is in use by " + holder + ": stop that one, or choose another directory");
  }
}
