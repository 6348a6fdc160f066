package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.zip.CRC32C;

/**
 * What a checkpoint of {@link MemoryTables} is: one file, of a state so small that it is read and
 * written at once. For each row, in order of table and key, big-endian: u8 table, u32 length of the
 * key, the key, u32 length of the value, the value; then CRC-32C of all that, u32.
 */
final class MemoryFile {
  static final String NAME = "tables";

  private MemoryFile() {}

  /** Takes rows. */
  @FunctionalInterface
  interface Visitor {
    void row(Table table, byte[] key, byte[] value);
  }

  static void write(Disk target, Map<Table, NavigableMap<byte[], byte[]>> tables) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(content)) {
      for (Map.Entry<Table, NavigableMap<byte[], byte[]>> table : tables.entrySet()) {
        for (Map.Entry<byte[], byte[]> row : table.getValue().entrySet()) {
          out.writeByte(table.getKey().code());
          out.writeInt(row.getKey().length);
          out.write(row.getKey());
          out.writeInt(row.getValue().length);
          out.write(row.getValue());
        }
      }
      out.writeInt(checksum(content.toByteArray(), content.size()));
    } catch (IOException impossible) {
      throw new AssertionError("the heap does no I/O", impossible);
    }
    try (DiskFile file = target.create(NAME, 0)) {
      file.write(0, ByteBuffer.wrap(content.toByteArray()));
      file.sync();
    }
    target.syncDirectory();
  }

  static void read(Disk files, Visitor visitor) {
    byte[] content;
    try (DiskFile file = files.open(NAME)) {
      content = new byte[Math.toIntExact(file.size())];
      file.read(0, ByteBuffer.wrap(content));
    }
    int rows = content.length - Integer.BYTES;
    if (rows < 0 || ByteBuffer.wrap(content).getInt(rows) != checksum(content, rows)) {
      throw new UncheckedIOException(
          new IOException(files.location() + "/" + NAME + " is no checkpoint, or damaged"));
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content, 0, rows))) {
      while (in.available() > 0) {
        Table table = Table.ofCode(in.readByte());
        byte[] key = in.readNBytes(in.readInt());
        visitor.row(table, key, in.readNBytes(in.readInt()));
      }
    } catch (IOException impossible) {
      throw new AssertionError("rows are whole under their checksum", impossible);
    }
  }

  private static int checksum(byte[] content, int length) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, length);
    return (int) crc.getValue();
  }
}
