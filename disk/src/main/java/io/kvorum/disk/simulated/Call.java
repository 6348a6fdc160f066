package io.kvorum.disk.simulated;

/** The calls that change durable state. Each can be counted, made to fail, or be the last one. */
public enum Call {
  CREATE,
  WRITE,
  SYNC,
  RENAME,
  DELETE,
  LINK,
  SYNC_DIRECTORY
}
