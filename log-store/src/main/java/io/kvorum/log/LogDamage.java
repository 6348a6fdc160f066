package io.kvorum.log;

/**
 * One thing that is wrong with a log, and that no crash explains.
 *
 * @param file where, with its directory
 * @param offset in bytes; 0: the file as a whole
 * @param index of the entry that should be there; 0: the file as a whole
 * @param what is wrong, in words for a person
 */
public record LogDamage(String file, long offset, long index, String what) {
  @Override
  public String toString() {
    return index == 0
        ? file + ": " + what
        : file + ", offset " + offset + ", entry " + index + ": " + what;
  }
}
