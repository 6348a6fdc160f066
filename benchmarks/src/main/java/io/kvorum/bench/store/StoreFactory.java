package io.kvorum.bench.store;

/** Opens a client of a system; each has one, with a constructor without arguments. */
public interface StoreFactory {
  /**
   * Connects, or will when it is first called.
   *
   * @param endpoints as the system's own server side describes them to its clients
   */
  Store open(String endpoints) throws Exception;
}
