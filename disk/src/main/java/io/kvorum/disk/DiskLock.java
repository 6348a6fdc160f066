package io.kvorum.disk;

/** A held lock of a directory; closing it gives it back. */
@FunctionalInterface
public interface DiskLock extends AutoCloseable {
  @Override
  void close();
}
