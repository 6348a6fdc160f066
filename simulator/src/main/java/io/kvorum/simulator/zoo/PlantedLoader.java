package io.kvorum.simulator.zoo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * A world of its own for Kvorum's classes, with some of them replaced; everything else is shared
 * with the parent. Both worlds can only exchange types of the JDK.
 */
final class PlantedLoader extends ClassLoader {
  private static final String OURS = "io.kvorum.";

  static {
    registerAsParallelCapable();
  }

  private final Map<String, byte[]> planted;

  PlantedLoader(ClassLoader parent, Map<String, byte[]> planted) {
    super("planted", parent);
    this.planted = planted;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes = planted.get(name);
    if (bytes == null) {
      bytes = original(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte[] original(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
