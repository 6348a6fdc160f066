package io.kvorum.cli;

import java.util.Locale;

/** Ids of leases as people write them: in hexadecimal, as etcdctl does. */
final class LeaseId {
  private LeaseId() {}

  static long parse(String name, String text) {
    long id;
    try {
      id = Long.parseUnsignedLong(text, 16);
    } catch (NumberFormatException malformed) {
      throw CommandFailure.usage(name + " is up to 16 hexadecimal digits, not \"" + text + "\"");
    }
    if (id == 0) {
      throw CommandFailure.usage(name + ": no lease has the id 0");
    }
    return id;
  }

  static String text(long id) {
    return String.format(Locale.ROOT, "%016x", id);
  }
}
