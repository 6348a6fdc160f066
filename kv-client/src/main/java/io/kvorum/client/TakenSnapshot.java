package io.kvorum.client;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.protocol.SnapshotReadResponse;
import io.kvorum.protocol.SnapshotTakeResponse;
import io.kvorum.protocol.Wire;
import java.util.zip.CRC32C;

/**
 * A snapshot that a node has taken, or had of the same state: durable and read back.
 *
 * @param nodeId of that node
 * @param name under which the node knows it
 * @param index of the last log entry in it
 * @param term of that entry
 * @param revision of the store in it
 * @param bytes of all its files
 * @param manifest which files it has, with which content; empty unless it was lent
 */
public record TakenSnapshot(
    String nodeId, String name, long index, long term, long revision, long bytes, Bytes manifest) {
  static TakenSnapshot of(SnapshotTakeResponse answer) {
    return new TakenSnapshot(
        answer.getNodeId(),
        answer.getName(),
        answer.getIndex(),
        answer.getTerm(),
        answer.getRevision(),
        answer.getBytes(),
        Wire.fromProto(answer.getManifest()));
  }

  /** What was asked for, or a failure that can be tried again. */
  static byte[] content(SnapshotReadResponse answer, int length) {
    byte[] content = answer.getContent().toByteArray();
    CRC32C checksum = new CRC32C();
    checksum.update(content, 0, content.length);
    if (content.length != length || (int) checksum.getValue() != answer.getChecksum()) {
      throw new KvException.Unavailable(
          content.length + " bytes of a snapshot have arrived damaged, " + length + " were read");
    }
    return content;
  }
}
