package io.kvorum.snapshot;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.SnapshotMeta;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The bytes of a manifest (docs/FORMATS.md). Each manifest has exactly one encoding. Lengths are
 * compared with what is left before anything else is done with them.
 */
final class ManifestFormat {
  private static final byte[] MAGIC = "VORUMSNP".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int CRC_BYTES = 4;
  private static final int BYTES_MIN = MAGIC.length + 4 + CRC_BYTES;

  private ManifestFormat() {}

  static byte[] encode(Manifest manifest) {
    byte[] clusterId = manifest.clusterId().getBytes(StandardCharsets.UTF_8);
    if (clusterId.length > Manifest.CLUSTER_ID_BYTES_MAX) {
      throw new IllegalArgumentException("cluster id too long: " + manifest.clusterId());
    }
    byte[] membership = manifest.meta().membership().encode();
    byte[] about = manifest.about();
    int length = BYTES_MIN + 2 + clusterId.length + 16 + 4 + membership.length + 4 + about.length;
    length += 4;
    for (SnapshotFile file : manifest.files()) {
      length += 2 + file.name().length() + 8 + Hash.BYTES;
    }
    ByteBuffer out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putInt(VERSION);
    out.putShort((short) clusterId.length).put(clusterId);
    out.putLong(manifest.meta().last().index()).putLong(manifest.meta().last().term());
    out.putInt(membership.length).put(membership);
    out.putInt(about.length).put(about);
    out.putInt(manifest.files().size());
    for (SnapshotFile file : manifest.files()) {
      byte[] name = file.name().getBytes(StandardCharsets.US_ASCII);
      out.putShort((short) name.length).put(name).putLong(file.bytes()).put(file.hash().bytes());
    }
    out.putInt(crc(out.array(), out.position()));
    return out.array();
  }

  static Manifest decode(byte[] bytes, String where) {
    if (bytes.length < BYTES_MIN || bytes.length > Manifest.BYTES_MAX) {
      throw new CorruptSnapshotException(where, bytes.length + " bytes are no manifest");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int end = bytes.length - CRC_BYTES;
    byte[] magic = new byte[MAGIC.length];
    in.get(magic);
    // Magic, version and checksum stand where they are in every version, so that a damaged one is
    // not taken for a newer one.
    if (!Arrays.equals(magic, MAGIC) || in.getInt(end) != crc(bytes, end)) {
      throw new CorruptSnapshotException(where, "the manifest is damaged");
    }
    int version = in.getInt();
    if (version != VERSION) {
      throw new SnapshotRefusedException(
          where
              + " has format "
              + version
              + ", this version of Kvorum reads format "
              + VERSION
              + ": run the version that wrote it");
    }
    try {
      Manifest manifest = content(in.limit(end));
      if (!Arrays.equals(manifest.encode(), bytes)) {
        throw new CorruptSnapshotException(where, "this is not how " + manifest + " is encoded");
      }
      return manifest;
    } catch (BufferUnderflowException | IllegalArgumentException | InvariantViolation e) {
      throw new CorruptSnapshotException(where, "this is no manifest: " + e);
    }
  }

  private static Manifest content(ByteBuffer in) {
    String clusterId = text(in, in.getShort() & 0xffff, Manifest.CLUSTER_ID_BYTES_MAX);
    EntryId last = new EntryId(in.getLong(), in.getLong());
    Membership membership = Membership.decode(block(in, in.getInt(), Manifest.BYTES_MAX));
    byte[] about = block(in, in.getInt(), Manifest.ABOUT_BYTES_MAX);
    int count = in.getInt();
    List<SnapshotFile> files = new ArrayList<>();
    // As many as it says, or until the bytes end: nothing is allocated by the number.
    for (int i = 0; i != count; i++) {
      String name = text(in, in.getShort() & 0xffff, SnapshotFile.NAME_BYTES_MAX);
      files.add(new SnapshotFile(name, in.getLong(), Hash.of(block(in, Hash.BYTES, Hash.BYTES))));
    }
    return new Manifest(clusterId, new SnapshotMeta(last, membership), about, files);
  }

  private static String text(ByteBuffer in, int length, int max) {
    return new String(block(in, length, max), StandardCharsets.UTF_8);
  }

  private static byte[] block(ByteBuffer in, int length, int max) {
    if (length < 0 || length > max || length > in.remaining()) {
      throw new IllegalArgumentException("a length of " + length);
    }
    byte[] block = new byte[length];
    in.get(block);
    return block;
  }

  private static int crc(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }
}
