package io.kvorum.server;

/** Which Kvorum this is. */
public final class Version {
  private Version() {}

  /** As in the jar's manifest, or {@code development} when run from classes. */
  public static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
