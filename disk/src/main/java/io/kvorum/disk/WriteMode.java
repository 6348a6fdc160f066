package io.kvorum.disk;

/** How bytes reach a real file. Both keep the same promises; docs/adr/0001 compares them. */
public enum WriteMode {
  /** By writes to the channel. A failure is an exception at the very call. */
  CHANNEL,
  /**
   * By stores into a writable map of the file, whose blocks were written in pieces of 4 KiB, so
   * that no store lacks a block and a sync writes no more than the touched pages.
   */
  MAPPED
}
