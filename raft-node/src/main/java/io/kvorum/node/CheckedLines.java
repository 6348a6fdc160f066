package io.kvorum.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.disk.Disk;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A small file of text lines that a person can read: the first names the format and its version,
 * the last is {@code crc} and the CRC32C of all before it in eight hex digits.
 */
public final class CheckedLines {
  private CheckedLines() {}

  /** Replaces the file durably; it has all of the old lines or all of the new ones. */
  public static void write(Disk disk, String name, String format, List<String> lines) {
    StringBuilder text = new StringBuilder(format).append('\n');
    lines.forEach(line -> text.append(line).append('\n'));
    String crc = crc(text.toString());
    text.append("crc ").append(crc).append('\n');
    disk.replace(name, text.toString().getBytes(UTF_8));
  }

  /**
   * The lines between the first and the last.
   *
   * @throws DataDirectoryException if the file is damaged, or in another format
   */
  public static List<String> read(Disk disk, String name, String format) {
    String text = new String(disk.read(name), UTF_8);
    String file = disk.location() + "/" + name;
    int crcAt = text.lastIndexOf("crc ");
    if (crcAt < 0 || !text.substring(crcAt).equals("crc " + crc(text.substring(0, crcAt)) + "\n")) {
      throw new DataDirectoryException(
          file + " is damaged: its checksum does not fit. Bring the file back.");
    }
    List<String> lines = new ArrayList<>(text.substring(0, crcAt).lines().toList());
    String found = lines.remove(0);
    if (!found.equals(format)) {
      throw new DataDirectoryException(
          file
              + " has the format \""
              + found
              + "\", this version reads \""
              + format
              + "\": use the version of Kvorum that wrote it, or a newer one");
    }
    return lines;
  }

  private static String crc(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(UTF_8));
    return String.format("%08x", crc.getValue());
  }
}
